import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

/** Writes visits as the salon system's loader does. The loader can be paused. */
export const startLoader = async (url: string) => {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  let isPaused = false;
  let isOver = false;
  let rows = 0;
  let current: Promise<unknown> = Promise.resolve();
  const turn = async () => {
    const at = Date.now();
    await db.query(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, forma_pagamento_principal, servicos, raw_data)
       select 'S' || $1::bigint || '-' || i, (101 + i % 6)::text, i + 0.37, now() - random() * interval '400 days',
         (array['Pix', 'Dinheiro', null])[1 + i % 3],
         jsonb_build_array(jsonb_build_object('idProfissionalQueRealizouServico', 5001 + i % 40)), '{}'
       from generate_series(1, 20) i`,
      [at],
    );
    await db.query(
      `update transacoes set sent_to_erp = not sent_to_erp, estabelecimento_id = (101 + floor(random() * 6))::text
       where id in (select id from transacoes order by random() limit 10)`,
    );
    await db.query("delete from transacoes where salon_id like 'S%' and id % 7 = $1", [at % 7]);
    rows += 30;
  };
  const loop = (async () => {
    while (!isOver) {
      if (!isPaused) {
        current = turn();
        await current;
      }
      await wait(500);
    }
  })();
  return {
    rows: () => rows,
    pause: async () => {
      isPaused = true;
      await current;
    },
    resume: () => {
      isPaused = false;
    },
    end: async () => {
      isOver = true;
      await loop;
      await db.end();
    },
  };
};
