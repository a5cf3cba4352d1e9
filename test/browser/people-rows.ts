// Clients who came often, once or not again, and a professional who served them in two units.
import { today } from "./panel.ts";
import { monthsBefore } from "./views.ts";
import { all } from "./warehouse.ts";

const MONTH = `${today.slice(0, 8)}01`;
/** A day of a month that is so many months ago. */
const dayOf = (age: number, date: string) => monthsBefore(`${MONTH.slice(0, 8)}${date}`, age);

type Visit = [client: number, unit: string, total: number, day: string];

const LOST: Visit[] = [
  [1, "103"],
  [2, "103"],
  [3, "101"],
].flatMap(([client, unit]) =>
  [3, 4, 5, 6, 7, 8].map(
    (age): Visit => [Number(client), String(unit), 100.1 * Number(client) + age, dayOf(age, "10")],
  ),
);

const VISITS: Visit[] = [
  ...LOST,
  // A regular who still comes.
  ...[0, 1, 2, 3, 4].map((age): Visit => [4, "101", 50.05, dayOf(age, "01")]),
  // New ones: who came back within 60 days, who did not, and who came back later.
  [5, "103", 10.01, dayOf(4, "05")],
  [5, "103", 20.02, dayOf(4, "25")],
  [6, "103", 30.03, dayOf(4, "06")],
  [7, "101", 40.04, dayOf(3, "07")],
  [7, "103", 40.04, dayOf(0, "01")],
  [8, "103", 60.06, dayOf(1, "08")],
  [8, "101", 60.06, dayOf(0, "01")],
  [9, "101", 70.07, dayOf(1, "09")],
];

/** What the first of them bought. */
export const BOUGHT = [
  ["loja", "202", "Laquê", "40.04", "2"],
  ["salao", "103", "Laquê", "30.03", "2"],
  // Of an unknown quantity.
  ["loja", "202", "Pente", "20.02", null],
] as const;

/** One of the generated professionals, of both units. */
export const PERSON = "5006";

export const addPeople = async () => {
  for (const [index, [client, unit, total, day]] of VISITS.entries()) {
    const services = [
      { nome: "Corte", valor: total / 2, idProfissionalQueRealizouServico: Number(PERSON) },
      { nome: client % 2 ? "Luzes" : "Escova", valor: 1.11, idProfissionalQueRealizouServico: "5011" },
    ];
    await all(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome, servicos, raw_data)
       values ($1, $2, $3, $4, $5, $6, $7, '{}')`,
      [
        `people-${index}`,
        unit,
        total.toFixed(2),
        `${day}T12:00:00-03:00`,
        `people-${client}`,
        `Clara Nunes ${client}`,
        JSON.stringify(services),
      ],
    );
  }
  for (const [index, [origin, unit, product, value, quantity]] of BOUGHT.entries())
    await all(
      `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, produto_nome,
         quantidade, valor_total, cliente_id)
       values ($1, $2, $3, $4, $5, $5, $6, $7, 'people-1')`,
      [origin, `people-${index}`, unit, `${dayOf(3, "10")}T12:00:00-03:00`, product, quantity, value],
    );
  // A service that nobody is known to have done, last month.
  await all(
    `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
     values ('people-unknown', '101', 40, $1, '[{"nome": "Corte", "valor": 40}]', '{}')`,
    [`${dayOf(1, "15")}T12:00:00-03:00`],
  );
};

export const removePeople = async () => {
  await all("delete from transacoes where salon_id like 'people-%'");
  await all("delete from vendas_produto where transacao_id like 'people-%'");
};
