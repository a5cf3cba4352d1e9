/** Words, numbers and moments that all of the demo warehouse is made of. Every name, CPF and amount is invented. */

const words = (text: string) => `array['${text.split(", ").join("','")}']`;

const FIRST = words(
  "Ana, Bruna, Carla, Daniela, Elisa, Fernanda, Gabriela, Helena, Íris, Júlia, Karina, Larissa, Márcia, Natália, Olívia, Patrícia, Rafael, Simone, Tânia, Úrsula, Vitória, Wagner, Yasmin, Zélia",
);
const LAST = words(
  "Almeida, Barbosa, Conceição, Duarte, Esteves, Fagundes, Gonçalves, Henriques, Ibañez, Jardim, Lobão, Moura, Nogueira, Orleães, Pimentel, Queirós, Rosário, Sant’Anna, Taváres, Uchôa, Vidigal",
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
/** Classifications of what is not paid to professionals; each is 300 and its place in the ERP's plan of accounts. */
export const ACCOUNTS = words(
  "Água, Energia elétrica, Condomínio, Manutenção predial, Fornecedores, Impostos, Aluguel, Marketing, Salários",
);
/** The form of what a professional took: it is no sale, and is owed by who took it. */
export const TAKEN = "'Descontar do Profissional'";

export const SALONS = 6;
export const STORES = 5;
export const PROFESSIONALS = 120;
export const PRODUCTS_PER_UNIT = 120;
export const CLIENTS = 4000;

export const person = (i: string, salt: string) =>
  `pg_temp.pick(${i}, 'first ${salt}', ${FIRST}) || ' ' || pg_temp.pick(${i}, 'last ${salt}', ${LAST})`;

/** Filler of a given length, different in every row. */
export const filler = (i: string, length: number) =>
  `(select string_agg(md5((${i} * 64 + n)::text), ' ') from generate_series(1, ${Math.ceil(length / 33)}) n)`;

/** Ids with a gap after every ninth. */
export const gappy = (i: string) => `(${i} + (${i} - 1) / 9)`;

/** When `sync-transacoes` ended last: nothing is younger but runs of the jobs and what they sent. */
export const SYNCED = "(pg_temp.now_() - interval '40 minutes')";

/**
 * Row i's moment: the last three years in even steps, within opening hours of a Brasília day. What would be later than
 * the last sync was the day before.
 */
export const moment = (i: string, rows: number) => {
  const at = `date_trunc('day', pg_temp.now_() - interval '1095 days' * ((${rows} - ${i})::float8 / ${rows}))
    + interval '9 hours' + pg_temp.r(${i}, 'hour') * interval '11 hours'`;
  return `(${at} - case when ${at} < ${SYNCED} then interval '0' else interval '1 day' end)`;
};

/**
 * A product of a unit's catalogue as it is named and priced there. One name is one product. On purpose, the catalogue
 * of a unit has a nameless one now and then; lines that sell it are nameless too.
 */
export const product = (number: string, unit: string) => ({
  id: `'P' || ${number}`,
  name: `case when pg_temp.r(${number} * 1000 + ${unit}, 'named') < 0.98
    then (${PRODUCTS})[1 + (${number} - 1) % 10] || ' ' || (1 + (${number} - 1) / 10) * 50 || ' ml' end`,
  price: `round((20 + pg_temp.r(${number}, 'price') * 180)::numeric, 2)`,
});

/**
 * Who works in a salon, by number in the salon system: 85 % are registered there, most others somewhere else. On
 * purpose, 4 % are eight people whom the mapping does not know.
 */
export const professionalIn = (unit: string, i: string) => `(5000 + case
  when pg_temp.r(${i}, 'home') < 0.85 then 1 + ${unit} % ${SALONS} + floor(pg_temp.r(${i}, 'pro') * ${PROFESSIONALS / SALONS})::int * ${SALONS}
  when pg_temp.r(${i}, 'home') < 0.96 then 1 + floor(pg_temp.r(${i}, 'pro') * ${PROFESSIONALS})::int
  else ${PROFESSIONALS} + 1 + floor(pg_temp.r(${i}, 'pro') * 8)::int end)`;
