// The first page: tasks, the request of the chosen one, and its answer.
import { byId, type Session } from "../session.ts";
import { breakJson, countRows, firstLines } from "./answer.ts";
import { element } from "./element.ts";
import type { Specification } from "./navigation.ts";
import { type Field, requestOf, type Task, tasksFor } from "./tasks.ts";

const select = () => byId("add") as HTMLSelectElement;
const answer = () => byId("answer") as HTMLTextAreaElement;
const fieldsShown = (): Pick<Field, "name" | "value">[] =>
  [...byId("fields").querySelectorAll("input")].map(({ name, value }) => ({ name, value }));

let chosen: Task | undefined;
let specification: Specification = {};
/** Counts what was asked, so that a late answer of another task is not shown. */
let asked = 0;

const path = () => requestOf(chosen?.path ?? "", fieldsShown());

/** Writes the request as the fields say, with a place to break before each parameter. */
const showRequest = () => {
  const parts = path().split(/(?=[?&])/);
  byId("request").replaceChildren(
    ...parts.flatMap((part) => {
      const [, name = part, value] = /^([?&][^=]+=)(.*)$/.exec(part) ?? [];
      return [element("wbr"), name, ...(value === undefined ? [] : [element("b", {}, value)])];
    }),
  );
  byId("copied").textContent = "";
};

const showField = ({ name, value, meaning }: Field) => {
  const input = element("input", {
    name,
    value,
    id: `field-${name}`,
    autocomplete: "off",
    spellcheck: false,
  });
  input.addEventListener("input", showRequest);
  const label = element("label", { htmlFor: input.id }, element("code", {}, name));
  byId("fields").append(element("div", { className: "field" }, label, input, element("p", {}, meaning)));
  return input;
};

/** Offers the parameters that the request does not have, as the document describes them. */
const showOffer = () => {
  const { parameters = [] } = specification.paths?.[chosen?.path ?? ""]?.get ?? {};
  const shown = new Set(fieldsShown().map(({ name }) => name));
  const documented = parameters.map(({ $ref, ...own }) => ({
    ...(specification.components?.parameters?.[$ref?.split("/").at(-1) ?? ""] ?? {}),
    ...own,
  }));
  const offered = documented.filter(({ name = "" }) => name && !shown.has(name));
  select().replaceChildren(
    element("option", { value: "" }, "Add a parameter"),
    ...offered.map(({ name = "", description = "" }) =>
      element("option", { value: name, title: description.replaceAll("`", "") }, name),
    ),
  );
  select().hidden = offered.length === 0;
};

const addField = () => {
  const option = select().selectedOptions[0];
  if (option?.value) showField({ name: option.value, value: "", meaning: option.title }).focus();
  showOffer();
};

const showAnswer = (status: string, facts: string[], text: string, isGood: boolean) => {
  const mark = element("strong", { className: isGood ? "good" : "bad" }, status);
  byId("status").replaceChildren(mark, ...facts.filter(Boolean).map((fact) => element("span", {}, fact)));
  answer().value = text;
};

const appliedRange = ({ headers }: Response) => {
  const [from = "", to = ""] = headers.get("Applied-Range")?.split("/") ?? [];
  return from && `Applied-Range ${from.slice(0, 10)} to ${to.slice(0, 10)}`;
};

const run = async (session: Session) => {
  asked += 1;
  const own = asked;
  byId("status").textContent = "Asking…";
  answer().value = "";
  try {
    const response = await session.fetch(path());
    const text = await response.text();
    if (own !== asked) return;
    const type = response.headers.get("Content-Type") ?? "";
    const shown = firstLines(type.startsWith("application/json") ? breakJson(text) : text);
    const facts = response.ok ? [countRows(text, type), appliedRange(response)] : [];
    showAnswer(String(response.status), facts, shown, response.ok);
  } catch {
    if (own === asked)
      showAnswer("No answer", ["The connection broke off. Check it, then run again."], "", false);
  }
};

const choose = (task: Task, session: Session) => {
  chosen = task;
  for (const button of byId("tasks").querySelectorAll("button"))
    button.setAttribute("aria-pressed", String(button.value === task.title));
  byId("task-title").textContent = task.title;
  byId("fields").replaceChildren();
  for (const field of task.fields) showField(field);
  showOffer();
  showRequest();
  return run(session);
};

const copyAsCurl = async (session: Session) => {
  const command = `curl '${location.origin}${path().replaceAll("'", "%27")}' -H 'Authorization: Bearer ${session.accessToken()}'`;
  const copied = await navigator.clipboard.writeText(command).then(
    () => "Copied with your access token, which is valid for at most 15 minutes.",
    () => "Your browser did not allow this page to copy.",
  );
  byId("copied").textContent = copied;
};

/** Connects the form, once. */
export const openStart = (session: Session): void => {
  byId("run").addEventListener("submit", (event) => {
    event.preventDefault();
    void run(session);
  });
  byId("copy").addEventListener("click", () => void copyAsCurl(session));
  select().addEventListener("change", addField);
};

/** Shows the tasks that the reader may run, and the answer of the first. */
export const showStart = (session: Session): void => {
  const tasks = tasksFor(session.rights());
  byId("tasks").replaceChildren(
    ...tasks.map((task) => {
      const names = [element("span", {}, task.title), element("code", {}, task.path)];
      const button = element("button", { type: "button", value: task.title }, ...names);
      button.addEventListener("click", () => {
        void choose(task, session);
        // On a phone, the request is below the list.
        byId("run").scrollIntoView({ block: "nearest" });
      });
      return element("li", {}, button);
    }),
  );
  if (tasks[0]) void choose(tasks[0], session);
};

/** The parameters that may be added are those of the OpenAPI document. */
export const describeFields = (document: Specification): void => {
  specification = document;
  showOffer();
};

/** Nothing of the session stays on the page. */
export const clearStart = (): void => {
  asked += 1;
  for (const id of ["tasks", "fields", "request", "status", "copied"]) byId(id).replaceChildren();
  answer().value = "";
};
