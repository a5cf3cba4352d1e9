import { closeMonth, reopenMonth } from "./closings.ts";
import { connected } from "./databases.ts";

/** Signs a month, and prints the hash to keep. */
export const close = async (url: string, mes: string, note: string | undefined): Promise<void> => {
  const { versao, valores, hash } = await connected(url, (db) =>
    closeMonth(db, mes, { note, progress: console.error }),
  );
  const { unidades, pagamentos } = JSON.parse(valores);
  console.log(
    `Closed ${mes}, version ${versao}, with ${unidades.length} units and ${pagamentos.length} kinds of payments. Keep its hash outside of the database: ${hash}`,
  );
};

/** Says that the last closing of a month no longer counts. */
export const reopen = async (url: string, mes: string, note: string | undefined): Promise<void> => {
  const { versao, hash } = await connected(url, (db) =>
    reopenMonth(db, mes, { note, progress: console.error }),
  );
  console.log(`Reopened ${mes}, version ${versao}. Keep its hash outside of the database: ${hash}`);
};
