import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { parse, TomlError } from "smol-toml";
import { quoted } from "../../src/api/v1/relatorios/question.ts";
import type { AlertRule } from "../../src/extensions/watch/alert-rule.ts";
import { MAX_NAME } from "../../src/extensions/watch/message.ts";
import { escapeInvisible } from "../../src/platform/http/prefer.ts";
import { fail, readArguments } from "../arguments.ts";
import { readQuestion } from "./alert-question.ts";

const USAGE = `Checks alerts.toml, and prints its rules.

  npm run alerts

npm run deploy checks it, too, and deploys its rules with the Worker. npm start runs with them.`;

const NAME = "alerts.toml";
const FILE = join(import.meta.dirname, "../..", NAME);
const MAX_RULES = 20;
const MAX_BYTES = 65_536;
const MAX_QUESTION = 2000;

/** What is wrong with alerts.toml, and what to do. */
export class AlertsError extends Error {
  /** @param errors sentences */
  constructor(errors: string[]) {
    const lines = errors.map((error) => `- ${escapeInvisible(error)}`);
    const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
    super([`${NAME} has ${count}:`, ...lines].join("\n"));
  }
}

const isName = (value: unknown): boolean =>
  typeof value === "string" &&
  value.trim() !== "" &&
  value.length <= MAX_NAME &&
  !/[\p{C}\p{Zl}\p{Zp}]/u.test(value);

const LIMIT = { isValid: Number.isFinite, rule: "a finite number without quotes, such as `5000`" };

/** The keys of a rule. `rule` completes "must be …". */
const KEYS: Record<string, { isValid: (value: unknown) => boolean; rule: string; isRequired?: true }> = {
  name: {
    isValid: isName,
    rule: `text of 1 to ${MAX_NAME} characters without invisible ones, such as "Contas vencidas"`,
    isRequired: true,
  },
  question: {
    isValid: (value) => typeof value === "string" && value.length <= MAX_QUESTION,
    rule: `text of at most ${MAX_QUESTION} characters, such as "pagamentos?medidas=valor_vencido"`,
    isRequired: true,
  },
  above: LIMIT,
  below: LIMIT,
  unit: {
    isValid: (value) => typeof value === "string",
    rule: 'the `salon_id` of a unit in quotes, such as "101"',
  },
};

type Table = Record<string, unknown>;

const MAX_SHOWN = 60;
const shown = (value: unknown): string => {
  const text = inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 1 });
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

const keyErrors = (rule: Table): string[] => {
  const invalid = Object.entries(KEYS).flatMap(([key, { isValid, rule: text, isRequired }]) => {
    const value = rule[key];
    if (value === undefined) return isRequired ? [`\`${key}\` is required: ${text}.`] : [];
    return isValid(value) ? [] : [`\`${key}\` must be ${text}; got ${shown(value)}.`];
  });
  const unknown = Object.keys(rule).filter((key) => !Object.hasOwn(KEYS, key));
  const known = quoted(Object.keys(KEYS));
  return [
    ...invalid,
    ...unknown.map((key) => `${shown(key)} is not a key of a rule. The keys are ${known}. Delete it.`),
  ];
};

const limitErrors = ({ above, below }: Table): string[] => {
  if (above !== undefined && below !== undefined)
    return ["`below` must not be given together with `above`. Write two rules."];
  return above === undefined && below === undefined ? ["`above` or `below` is required: the limit."] : [];
};

/** Checks a rule. @param earlier the rules before it @returns the rule, or every error */
const readRule = (rule: Table, earlier: Table[]): AlertRule | string[] => {
  const { name, question, above, below, unit } = rule;
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const asked = KEYS.question?.isValid(question) ? readQuestion(String(question), text(unit)) : [];
  const errors = [
    ...keyErrors(rule),
    ...limitErrors(rule),
    ...(isName(name) && earlier.some((one) => one.name === name)
      ? ["`name` must differ from the name of every other rule. Choose another one."]
      : []),
    ...(Array.isArray(asked) ? asked : []),
  ];
  if (errors.length > 0 || Array.isArray(asked)) return errors;
  return { name: String(name), ...asked, ...(above === undefined ? { below } : { above }) } as AlertRule;
};

const parseToml = (text: string): Table => {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ""] = error.message.split("\n");
    throw new AlertsError([
      `Line ${error.line}, column ${error.column}: ${reason.replace(/^Invalid TOML document: /, "")}. Correct the line.`,
    ]);
  }
};

/** `5.000` is 5 in TOML, but may be meant as five thousand. */
const THREE_DECIMALS = /(?:^|[{,])[ \t]*["']?(above|below)["']?[ \t]*=[ \t]*([+-]?[\d_]+\.\d{3})(?![\d_])/gm;

/** The same number with two or four decimals, and thousands without a point, if there are any. */
const withoutThree = (value: string): string => {
  const number = value.replaceAll("_", "");
  const thousands = /^[+-]?0\./.test(number) ? [] : [number.replace(".", "")];
  return [...thousands, number.endsWith("0") ? number.slice(0, -1) : `${number}0`].join(" or ");
};

const decimalErrors = (text: string): string[] =>
  [...text.matchAll(THREE_DECIMALS)].map(
    ([, key, value = ""]) =>
      `\`${key}\` must not have exactly three decimals, because no point separates thousands; got ${value}. ` +
      `Write ${withoutThree(value)}.`,
  );

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) !== Array.prototype;

/** @param text of alerts.toml @throws AlertsError with every error */
export const parseAlerts = (text: string): AlertRule[] => {
  if (text.trim() === "")
    throw new AlertsError(["The file is empty. Restore it: without a rule, it needs a comment."]);
  const { alert = [], ...others } = parseToml(text);
  const unknown = Object.keys(others).map(
    (key) => `${shown(key)} is outside of a rule. Begin each rule with [[alert]].`,
  );
  if (!Array.isArray(alert) || !alert.every(isTable))
    throw new AlertsError([...unknown, "`alert` must be a list of tables. Begin each rule with [[alert]]."]);
  const tooMany =
    alert.length > MAX_RULES
      ? [`There are ${alert.length} rules. Keep at most ${MAX_RULES}, and delete the others.`]
      : [];
  const rules = alert.map((rule, index) => readRule(rule, alert.slice(0, index)));
  const errors = rules.flatMap((rule, index) => {
    const { name } = alert[index] ?? {};
    const label = `Rule ${index + 1}${isName(name) ? ` (${name})` : ""}`;
    return Array.isArray(rule) ? rule.map((error) => `${label}: ${error}`) : [];
  });
  const all = [...unknown, ...tooMany, ...errors, ...decimalErrors(text)];
  if (all.length > 0) throw new AlertsError(all);
  return rules.flatMap((rule) => (Array.isArray(rule) ? [] : [rule]));
};

/** @throws AlertsError with every error */
export const readAlerts = (file = FILE): AlertRule[] => {
  const refuse = (error: string): never => {
    throw new AlertsError([error]);
  };
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    refuse("The file is missing. Restore it: without a rule, it needs a comment.");
  const bytes = readFileSync(file);
  if (bytes.length > MAX_BYTES)
    refuse(`The file has ${bytes.length} bytes. Shorten it to at most ${MAX_BYTES}.`);
  if (!isUtf8(bytes)) refuse("The file is not UTF-8. Save it as UTF-8.");
  return parseAlerts(new TextDecoder().decode(bytes));
};

/** Reads the rules for a command. Exits with 1 and every error. */
export const readAlertsOrExit = (): AlertRule[] => {
  try {
    return readAlerts();
  } catch (error) {
    if (error instanceof AlertsError) return fail(error.message, 1);
    throw error;
  }
};

export const countOf = ({ length }: AlertRule[]): string =>
  length === 1 ? "1 alert rule" : `${length} alert rules`;

const lineOf = ({ name, path, above, below }: AlertRule): string =>
  `- ${name}: ${path} ${above === undefined ? `below ${below}` : `above ${above}`}`;

if (import.meta.main) {
  readArguments(USAGE, {});
  const rules = readAlertsOrExit();
  console.log([`${NAME} is valid: ${countOf(rules)}`, ...rules.map(lineOf)].join("\n"));
}
