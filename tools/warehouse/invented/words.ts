/** Names, numbers and times of the demo warehouse. Every name, CPF and amount is invented. */

export const words = (text: string) => `array['${text.split(", ").join("','")}']`;

const FIRST = words(
  "Ana, Bruna, Carla, Daniela, Elisa, Fernanda, Gabriela, Helena, Íris, Júlia, Karina, Larissa, Márcia, Natália, Olívia, Patrícia, Rafael, Simone, Tânia, Úrsula, Vitória, Wagner, Yasmin, Zélia",
);
const LAST = words(
  "Almeida, Barbosa, Conceição, Duarte, Esteves, Fagundes, Gonçalves, Henriques, Ibañez, Jardim, Lobão, Moura, Nogueira, Orleães, Pimentel, Queirós, Rosário, Sant’Anna, Taváres, Uchôa, Vidigal",
);
const SECOND = words(
  "das Flores, do Vale, da Serra, dos Campos, do Lago, da Praia, das Pedras, do Prado, da Ilha, do Monte, das Rosas, do Sol",
);
const PRODUCTS = words(
  "Shampoo Suave, Condicionador Brilho, Máscara Nutritiva, Óleo de Argan, Esmalte Açaí, Creme de Pentear, Leave-in Proteção, Tônico Fortalecedor, Gel Fixador, Loção Pós-Barba",
);
export const SERVICES = words(
  "Corte feminino, Corte masculino, Coloração, Escova, Hidratação, Manicure, Pedicure, Penteado, Sobrancelha, Luzes",
);
export const FORMS = words(
  "Pix, Pix, Dinheiro, Cartão de Débito, Cartão de Crédito, Cartão de Crédito, Crédito Parcelado, Vale Presente",
);
/** Account names of payments to others than professionals. The account id is 300 plus the position in this list. */
export const ACCOUNTS = words(
  "Água, Energia elétrica, Condomínio, Manutenção predial, Fornecedores, Impostos, Aluguel, Marketing, Salários",
);
/** The payment form of products a professional took. It is not a sale: the professional owes the amount. */
export const TAKEN = "'Descontar do Profissional'";

export const SALONS = 6;
export const STORES = 5;
export const PROFESSIONALS = 120;
export const PRODUCTS_PER_UNIT = 120;

export const person = (i: string, salt: string) =>
  `pg_temp.pick(${i}, 'first ${salt}', ${FIRST}) || ' ' || pg_temp.pick(${i}, 'last ${salt}', ${LAST})`;

/** The name of the client with a number. */
export const clientName = (number: string) =>
  `(pg_temp.pick(${number}, 'first client', ${FIRST}) || ' ' || pg_temp.pick(${number}, 'second client', ${SECOND}) || ' ' || pg_temp.pick(${number}, 'last client', ${LAST}))`;

export const filler = (i: string, length: number) =>
  `(select string_agg(md5((${i} * 64 + n)::text), ' ') from generate_series(1, ${Math.ceil(length / 33)}) n)`;

/** When the last store closed. */
export const CLOSED = "(pg_temp.now_() - interval '1 year')";

export const TODAY = "pg_temp.now_()::date";

/** Ids with a gap after every ninth. */
export const withGaps = (i: string) => `(${i} + (${i} - 1) / 9)`;

/** The end of the last `sync-transacoes` run. Only job runs and the data they sent are newer. */
export const SYNCED = "(pg_temp.now_() - interval '40 minutes')";

/**
 * A product of a unit's catalogue: the same name is the same product. Deliberate fault: 2 % have no name, and neither
 * do the lines that sell them.
 */
export const product = (number: string, unit: string) => ({
  id: `'P' || ${number}`,
  name: `case when pg_temp.r(${number} * 1000 + ${unit}, 'named') < 0.98
    then (${PRODUCTS})[1 + (${number} - 1) % 10] || ' ' || (1 + (${number} - 1) / 10) * 50 || ' ml' end`,
  price: `round((20 + pg_temp.r(${number}, 'price') * 180)::numeric, 2)`,
});

/**
 * The id of a professional working in a salon: 85 % are registered there, most others in another salon. Deliberate
 * fault: 4 % are eight people whom the mapping does not know.
 */
export const professionalIn = (unit: string, i: string) => `(5000 + case
  when pg_temp.r(${i}, 'home') < 0.85 then 1 + ${unit} % ${SALONS} + floor(pg_temp.r(${i}, 'pro') * ${PROFESSIONALS / SALONS})::int * ${SALONS}
  when pg_temp.r(${i}, 'home') < 0.96 then 1 + floor(pg_temp.r(${i}, 'pro') * ${PROFESSIONALS})::int
  else ${PROFESSIONALS} + 1 + floor(pg_temp.r(${i}, 'pro') * 8)::int end)`;
