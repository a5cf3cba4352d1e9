// Pages of docs/ for programs, served as text.
import agents from "../../docs/agents.md?url";
import changes from "../../docs/changes.md?url";
import clients from "../../docs/clients.md?url";
import glossary from "../../docs/glossary.md?url";
import recipes from "../../docs/recipes.md?url";
import { element } from "./element.ts";

const GUIDES = [
  {
    href: clients,
    title: "Read the API from a program",
    what: "whole lists, copies, reports, errors, limits",
  },
  { href: recipes, title: "Excel, Power BI, Google Sheets, Grafana, n8n", what: "recipes to paste" },
  { href: agents, title: "Assistants (MCP)", what: "settings, tools, limits" },
  { href: glossary, title: "Glossary", what: "the Portuguese names in English" },
  { href: changes, title: "Changes of the API", what: "versions, and how changes are announced" },
  { href: "/llms.txt", title: "The API on one page", what: "for programs and assistants" },
];

/** Fills the list of guides. */
export const showGuides = (): void => {
  const items = GUIDES.map(({ href, title, what }) =>
    element("li", {}, element("a", { href }, title), ` ${what}`),
  );
  document.querySelector("#guides ul")?.replaceChildren(...items);
};
