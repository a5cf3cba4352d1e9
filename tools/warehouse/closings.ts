import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { FEEDS } from "../../src/api/v1/fechamentos/changes.ts";
import { signedFigures } from "../../src/api/v1/fechamentos/figures.ts";
import type { TIPOS } from "../../src/api/v1/fechamentos/table.ts";
import { monthRange } from "../../src/core/periods.ts";
import { UNRESTRICTED } from "../../src/core/rights.ts";
import { UsageError } from "../arguments.ts";
import { osUser, recordCommand } from "../changes.ts";
import { commitId } from "../own-git.ts";
import { retryWhenLocked } from "./databases.ts";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));

/** What a row signs, as its columns store it. A reopening has `{}` as figures and markers. */
interface Signed {
  mes: string;
  /** ISO 8601 in UTC, with microseconds. */
  registrado_em: string;
  valores: string;
  marcadores: string;
  hash_anterior: string | null;
}

/** The SHA-256 of month, time, figures, markers, each with an LF, and the hash of the row before, if there is one. */
const hashOf = ({ mes, registrado_em, valores, marcadores, hash_anterior }: Signed): string =>
  createHash("sha256")
    .update(`${[mes, registrado_em, valores, marcadores].join("\n")}\n${hash_anterior ?? ""}`)
    .digest("hex");

/** A timestamp as it is signed. */
const signedTime = (instant: string) =>
  `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A new row of the table `fechamentos`. */
interface Closing {
  mes: string;
  versao: number;
  valores: string;
  hash: string;
}

const MAX_NOTE = 500;

/** @throws UsageError if the text is not a month, or if the note cannot be stored */
const readArguments = (mes: string, note: string | undefined) => {
  const range = monthRange(mes);
  if (range === undefined)
    throw new UsageError(`The month must be AAAA-MM, for example 2026-10; got "${mes}".`);
  if (
    note !== undefined &&
    (note.trim() === "" || [...note].length > MAX_NOTE || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(note))
  )
    throw new UsageError(`--note must have 1 to ${MAX_NOTE} characters, on one line.`);
  return range;
};

/** @throws if the month is not over, or the data do not reach its end */
const assertFinished = async (db: pg.Client, mes: string, lastInstant: string): Promise<void> => {
  const { rows } = await db.query(
    `select now() > $1::timestamptz as is_over, data_instant(now()) > $1::timestamptz as is_reached,
       to_char(data_instant(now()) at time zone 'America/Sao_Paulo', 'YYYY-MM-DD HH24:MI') as reached`,
    [lastInstant],
  );
  const { is_over, is_reached, reached } = rows[0];
  if (!is_over) throw new Error(`${mes} is not over. Close it when the month has ended.`);
  if (!is_reached)
    throw new Error(
      `The data reach ${reached} in Brasília, and ${mes} ends later. Close it after the next completed run of sync-transacoes.`,
    );
};

/** The epoch and the last change of each feed, as JSON. Call it while no loader can write. */
const currentMarkers = async (db: pg.Client): Promise<string> => {
  const { rows } = await db.query(
    `select list, epoch, coalesce(pg_sequence_last_value((list || '_change_seq')::regclass), 0) as position
     from change_feeds`,
  );
  const markers = Object.entries(FEEDS).map(([name, { list }]) => {
    const { epoch, position } = rows.find((row) => row.list === list);
    return `${JSON.stringify(name)}:{"epoch":${JSON.stringify(epoch)},"position":${position}}`;
  });
  return `{${markers}}`;
};

/** Adds a row to the chain. Its transaction has locked the table. */
const insertRow = async (
  db: pg.Client,
  kind: (typeof TIPOS)[number],
  signed: Pick<Signed, "mes" | "valores" | "marcadores">,
  note: string | undefined,
): Promise<Closing> => {
  const { rows } = await db.query(
    `select ${signedTime("clock_timestamp()")} as registrado_em,
       (select hash from fechamentos order by id desc limit 1) as hash_anterior,
       (select coalesce(max(versao), 0) + 1 from fechamentos where mes = $1) as versao`,
    [signed.mes],
  );
  const { versao, ...chained } = rows[0];
  const row = { ...signed, ...chained };
  const hash = hashOf(row);
  await db.query(
    `insert into fechamentos (mes, versao, tipo, registrado_em, versao_servico, usuario, nota, valores, marcadores, hash, hash_anterior)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[row.mes, versao, kind, row.registrado_em, `${version}+${commitId()}`, osUser(), note ?? null],
      ...[row.valores, row.marcadores, hash, row.hash_anterior],
    ],
  );
  await recordCommand(db, `${kind === "fechamento" ? "close" : "reopen"} ${row.mes}`);
  return { mes: row.mes, versao, valores: row.valores, hash };
};

interface Options {
  note?: string | undefined;
  /** Receives a line when the command has to wait. */
  progress?: (line: string) => void;
}

/** Runs work while no other command can add a row. */
const inChain = (
  db: pg.Client,
  what: string,
  { progress = () => undefined }: Options,
  work: () => Promise<Closing>,
): Promise<Closing> =>
  retryWhenLocked(
    db,
    () => what,
    progress,
    async () => {
      await db.query("lock table fechamentos in share row exclusive mode");
      return work();
    },
  );

/**
 * Signs the figures of a finished month (F2). Loaders wait while it reads figures and markers; readers do not.
 * @throws UsageError for an invalid month or note. @throws if the month is not over, or the data do not reach its end
 */
export const closeMonth = async (db: pg.Client, mes: string, options: Options = {}): Promise<Closing> => {
  const range = readArguments(mes, options.note);
  return inChain(db, `Closing ${mes}`, options, async () => {
    const tables = Object.values(FEEDS).map(({ list }) => list);
    await db.query(`lock table ${tables.join()} in share mode`);
    await assertFinished(db, mes, range.data_fim);
    const { text, values } = signedFigures({ rights: UNRESTRICTED, now: Date.now() }, range);
    const { rows } = await db.query(text, values);
    const marcadores = await currentMarkers(db);
    return insertRow(db, "fechamento", { mes, valores: rows[0].figures, marcadores }, options.note);
  });
};

/**
 * Says that the newest closing of a month no longer counts (F2). @throws UsageError for an invalid month or note. @throws
 * if the month is not closed
 */
export const reopenMonth = async (db: pg.Client, mes: string, options: Options = {}): Promise<Closing> => {
  readArguments(mes, options.note);
  return inChain(db, `Reopening ${mes}`, options, async () => {
    const { rows } = await db.query(
      "select tipo from fechamentos where mes = $1 order by versao desc limit 1",
      [mes],
    );
    if (rows[0]?.tipo !== "fechamento") throw new Error(`${mes} is not closed.`);
    return insertRow(db, "reabertura", { mes, valores: "{}", marcadores: "{}" }, options.note);
  });
};

/** Recomputes every hash and the chain. @returns the number of rows, and a line for each that was changed */
export const verifyClosings = async (db: pg.Client): Promise<{ count: number; changed: string[] }> => {
  const { rows } = await db.query(
    `select mes, versao, ${signedTime("registrado_em")} as registrado_em, valores, marcadores, hash, hash_anterior,
       lag(hash) over (order by id) as before, row_number() over (partition by mes order by id) as number
     from fechamentos order by id`,
  );
  const changed = rows.flatMap(({ before, number, ...row }) => {
    const what = `fechamentos: ${row.mes}, version ${row.versao}`;
    return [
      ...(hashOf(row) === row.hash ? [] : [`${what}: its hash is not that of what is stored`]),
      ...(before === row.hash_anterior ? [] : [`${what}: the row before it was changed or deleted`]),
      ...(Number(number) === row.versao ? [] : [`${what}: an earlier version was deleted`]),
    ];
  });
  const { rows: triggers } = await db.query(
    `select count(*)::int as enabled from pg_trigger
     where tgrelid = 'fechamentos'::regclass and tgname in ('fechamentos_keep', 'fechamentos_keep_all') and tgenabled in ('O', 'A')`,
  );
  if (triggers[0].enabled < 2)
    changed.push("fechamentos: the triggers that keep its rows are disabled or missing");
  return { count: rows.length, changed };
};
