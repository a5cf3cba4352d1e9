import { z } from "@hono/zod-openapi";
import { idCursor, integer, withDefault } from "./params.ts";

const page = integer({
  min: 1,
  example: 1,
  description: "Page number.",
});
const perPage = integer({ min: 1, max: 200, example: 50, description: "Records per page." });

export const pageParams = { page: withDefault(page, 1), per_page: withDefault(perPage, 50) };

/** For change feeds, which have no page numbers. */
export const sizeParams = { per_page: pageParams.per_page };

/** For lists with both page numbers and a cursor (L4). */
export const cursorParams = {
  ...pageParams,
  after_id: idCursor(
    "Cursor: records with a greater `id`, ascending, without totals; `page` is ignored. Start with 0, go on " +
      "with `next_after_id` while `has_more`. To read new records later, send the last `id`. None is skipped.",
  ).optional(),
};

const Pagination = z
  .object({
    page: z.int().openapi({ example: 1 }),
    per_page: z.int().openapi({ example: 50 }),
    total: z.int().openapi({ description: "Number of records that match the filters", example: 1234 }),
    total_pages: z.int().openapi({ description: "0 when `total` is 0", example: 25 }),
  })
  .openapi("Pagination");

const CursorPagination = z
  .object({
    per_page: z.int().openapi({ example: 50 }),
    next_after_id: z
      .int()
      .nullable()
      .openapi({
        description:
          "Send it as `after_id` to get the next page. `null` on the last page: " +
          "to read new records later, send the `id` of the last record you received",
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
      description: "Marker, present on every page. Store it, and send it as `after` to get the next changes",
      example: "transacoes.5f3a9c0d1e2b.1200.1250",
    }),
    has_more: z.boolean().openapi({ description: "Whether more changes are available now", example: false }),
  })
  .openapi("FeedPagination");

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), pagination: Pagination });

export const pageOrCursorOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), pagination: z.union([Pagination, CursorPagination]) });
