import type { Rights } from "../../core/rights.ts";
import { explainRights } from "./rights.ts";

const SUMS = `## Sums

- Revenue (Faturamento) is what customers paid: use \`faturamento\`. Do not compute it from other sums.
- The total of visits includes their services and the product lines of salons (\`origem=salao\`): never add these to
  it. Store lines (\`loja\`) belong to no visit.
- Never add up rows of \`transacoesPorProfissional\` for different professionals: a visit of two counts in full for
  each. Rows of \`servicos\` add up.
- Averages and counts of different things (\`clientes\`, \`visitas\` of \`servicos\`, \`transacoes\` of \`vendas\`)
  do not add up over rows. \`totais\` has them for all.
- To count the records of a list with pages, send \`per_page=1\` and read \`pagination.total\`.

## Freshness

\`frescor\` returns when each job last succeeded, today in Brasília (\`hoje\`) and what you may read (\`direitos\`).
\`synced_at\` is when a job fetched a record, not when it changed.
`;

const CALLS = `## Calls

- The general reports count and add up: \`por\` chooses the rows, \`medidas\` the columns, \`ordem=-valor_total\` puts
  the highest first. \`linhas\` counts the rows before \`limite\`.
- Days are days in Brasília; date-times of answers are in UTC. \`periodo=mes\` ends today: \`comparar\` compares it
  until the data reaches (\`anterior.ate\`).
- Lists leave out \`raw_data\`. If it is one of their fields, name it in \`campos\`.
- Page through a few pages at most. All records are for a program: \`GET /v1/…?tudo=true\`.
- Money is in reais, exact: keep its digits.
- An error says what to send instead.
`;

/**
 * What the holder of a token should know before the first call, in at most 2,000 characters: some clients cut it after
 * 2,048 (M6).
 */
export const instructionsFor = (rights: Rights): string =>
  `${SUMS}\n## Whose data\n\n${explainRights(rights)}\n\n${CALLS}`;
