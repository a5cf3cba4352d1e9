import { bigint, boolean, jsonb, numeric, timestamp } from "drizzle-orm/pg-core";

export const idColumn = () => bigint({ mode: "number" }).primaryKey().generatedByDefaultAsIdentity();

export const instantColumn = () => timestamp({ withTimezone: true, mode: "string" });

export const moneyColumn = () => numeric({ precision: 14, scale: 2 });

export const flagColumn = () => boolean().notNull().default(false);

/** JSON from the source system. Postgres keeps every digit of its numbers (V2). */
export const payloadColumn = () => jsonb().$type<Record<string, unknown>>().notNull();
