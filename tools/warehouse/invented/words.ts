/** Names, numbers and times of the demo warehouse. Every name, CPF and amount is invented. */

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

/** The days that visits, sales and payments are spread over. */
const DAYS = 1095;
const REGULARS_RETURN_AFTER_DAYS = 21;

/**
 * The clients of a warehouse: one for every twelve visits, and one under whom the given share of visits is recorded.
 * The last `regulars` of them come every three weeks. A quarter of all visits are theirs.
 */
export interface Clients {
  count: number;
  regulars: number;
  walkInShare: number;
}
export const clientsOf = (visits: number, walkInShare: number): Clients => ({
  count: Math.ceil(visits / 12),
  regulars: Math.round((visits * REGULARS_RETURN_AFTER_DAYS) / DAYS / 4),
  walkInShare,
});

/** The number of a client, from 0, or -1 for the walk-in client. */
export const clientNumber = ({ count, regulars, walkInShare }: Clients, i: string, name: string) =>
  `case when pg_temp.r(${i}, 'walk in') < ${walkInShare} then -1 else floor(pg_temp.r(${i}, '${name}') * ${count - regulars})::bigint end`;

/** The number of the regular client whose turn visit i is, or null. Their turns are even steps, in a fixed order. */
export const regularNumber = ({ count, regulars }: Clients, i: string, rows: number) => {
  const turn = (visit: string) => `${visit} * ${DAYS * regulars} / ${rows * REGULARS_RETURN_AFTER_DAYS}`;
  return `case when ${turn(i)} > ${turn(`(${i} - 1)`)} then ${count - regulars} + ${turn(i)} % ${Math.max(regulars, 1)} end`;
};

export const person = (i: string, salt: string) =>
  `pg_temp.pick(${i}, 'first ${salt}', ${FIRST}) || ' ' || pg_temp.pick(${i}, 'last ${salt}', ${LAST})`;

export const filler = (i: string, length: number) =>
  `(select string_agg(md5((${i} * 64 + n)::text), ' ') from generate_series(1, ${Math.ceil(length / 33)}) n)`;

/** Ids with a gap after every ninth. */
export const withGaps = (i: string) => `(${i} + (${i} - 1) / 9)`;

/** The end of the last `sync-transacoes` run. Only job runs and the data they sent are newer. */
export const SYNCED = "(pg_temp.now_() - interval '40 minutes')";

/** The day of row i: even steps over the last three years. */
export const dayOf = (i: string, rows: number) =>
  `date_trunc('day', pg_temp.now_() - interval '${DAYS} days' * ((${rows} - ${i})::float8 / ${rows}))`;

/**
 * The time of row i: on its day, within opening hours in Brasília. 45 % are in the three hours after work. Times after
 * the last sync move to the previous day. Rows of one day with different seeds have different hours.
 */
export const timeOf = (i: string, rows: number, seed = i) => {
  const at = `${dayOf(i, rows)} + case when pg_temp.r(${seed}, 'after work') < 0.25
    then interval '17 hours' + pg_temp.r(${seed}, 'hour') * interval '3 hours'
    else interval '9 hours' + pg_temp.r(${seed}, 'hour') * interval '11 hours' end`;
  return `(${at} - case when ${at} < ${SYNCED} then interval '0' else interval '1 day' end)`;
};

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
