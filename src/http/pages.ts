import { z } from "@hono/zod-openapi";
import { integer, preset } from "./params.ts";

const page = integer({
  min: 1,
  example: 1,
  description: "Which page, counted from 1. A page past the end is empty and keeps the true totals.",
});
const perPage = integer({ min: 1, max: 200, example: 50, description: "How many records a page has." });

export const paging = { page: preset(page, 1), per_page: preset(perPage, 50) };

/** For lists without page numbers. */
export const sizing = { per_page: paging.per_page };

/** For lists with both page numbers and a cursor (L4). */
export const cursorPaging = {
  ...paging,
  after_id: integer({
    min: 0,
    example: 0,
    description:
      "Cursor mode: only records whose `id` is greater, ascending by `id`, without totals; `page` is ignored. " +
      "Start with 0, go on with `next_after_id`, stop when `has_more` is false. To follow the list, ask again later with " +
      "the `id` of the last record received, or with the same `after_id` after an empty page. Nothing is skipped: a " +
      "record is shown as soon as every `id` that was drawn before its own is either written or given up.",
  }).optional(),
};

export const Pagination = z
  .object({
    page: z.int().openapi({ example: 1 }),
    per_page: z.int().openapi({ example: 50 }),
    total: z.int().openapi({ description: "How many records meet the filters", example: 1234 }),
    total_pages: z.int().openapi({ description: "0 when `total` is 0", example: 25 }),
  })
  .openapi("Pagination");

export const CursorPagination = z
  .object({
    per_page: z.int().openapi({ example: 50 }),
    next_after_id: z.int().nullable().openapi({
      description:
        "`null` when there are no more records: ask again later with the `id` of the last record received",
      example: 50,
    }),
    has_more: z.boolean().openapi({ example: true }),
  })
  .openapi("CursorPagination");

/** The characters of a change feed marker (C3). */
export const MARKER = "^[A-Za-z0-9._-]+$";

export const FeedPagination = z
  .object({
    per_page: z.int().openapi({ example: 50 }),
    next_after: z.string().openapi({
      pattern: MARKER,
      description: "Always there: keep it, and ask with it as `after`, at once or next week",
      example: "transacoes.5f3a9c0d1e2b.1200.1250",
    }),
    has_more: z.boolean().openapi({ description: "Whether there is more to be had at once", example: false }),
  })
  .openapi("FeedPagination");

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), pagination: Pagination });

export const pageOrCursorOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), pagination: z.union([Pagination, CursorPagination]) });
