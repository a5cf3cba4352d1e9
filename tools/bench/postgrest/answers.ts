import { answerOf, canonical } from "../answers.ts";
import type { Target } from "../targets.ts";
import type { Asked } from "./questions.ts";

/** What is compared of an answer: its records or its one, and how many it counts. */
interface Answered {
  body: unknown;
  total?: number;
}

const ask = async (target: Target, path: string) => {
  const { body, headers } = await answerOf(target, path);
  return { body: JSON.parse(body), range: headers.get("content-range") };
};

/** A body without some fields, however deep they are. */
const leaveOut = (value: unknown, fields: string[]): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (fields.includes(key) ? undefined : part)));

/** Both must hold the same records, in the same order, and count as many. @throws where they differ */
const sameAnswer = (name: string, ours: Answered, theirs: Answered) => {
  const [one, two] = [ours, theirs].map((answer) => JSON.stringify(canonical(answer)));
  if (one === two) return;
  const at = [...(one ?? "")].findIndex((letter, n) => letter !== two?.[n]);
  const there = (text = "") => text.slice(Math.max(0, at - 100), at + 200);
  throw new Error(`${name}: PostgREST answers otherwise\n${there(one)}\n${there(two)}`);
};

/** PostgREST as one question is put to it. */
export const askedSo = (theirs: Target, { headers = {} }: Asked): Target => ({ ...theirs, headers });

/** Asks both sides and compares. @throws where they differ, or where there is nothing to compare */
export const compareAnswers = async (asked: Asked, ours: Target, theirs: Target) => {
  const [us, them] = await Promise.all([ask(ours, asked.ours), ask(askedSo(theirs, asked), asked.theirs)]);
  const body = leaveOut(us.body.data ?? us.body, asked.without ?? []);
  if (Array.isArray(body) && body.length === 0) throw new Error(`${asked.name}: no records to compare`);
  const counts = asked.headers?.prefer !== undefined;
  sameAnswer(
    asked.name,
    { body, ...(counts && { total: us.body.pagination.total }) },
    { body: them.body, ...(counts && { total: Number(them.range?.split("/")[1]) }) },
  );
};
