import { bigint, boolean, jsonb, numeric, timestamp } from "drizzle-orm/pg-core";

/** The identity column every table has; loaders may leave it out. */
export const id = () => bigint({ mode: "number" }).primaryKey().generatedByDefaultAsIdentity();

/** A point in time, always with its zone. */
export const instant = () => timestamp({ withTimezone: true, mode: "string" });

/** Reais with two decimals, exact. */
export const money = () => numeric({ precision: 14, scale: 2 });

/** A flag that is false until somebody sets it. */
export const flag = () => boolean().notNull().default(false);

/** A payload as the source system returned it, digit for digit (V2). */
export const payload = () => jsonb().$type<Record<string, unknown>>().notNull();
