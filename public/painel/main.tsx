// The page: signs in, and shows the panel while a session lasts.
import { render } from "preact";
import { byId, openSession } from "../session.ts";
import { openAnswers } from "./answers.ts";
import { App } from "./app.tsx";
import { openLastUnit } from "./last-unit.ts";
import { showTheme } from "./theme.ts";
import { MESSAGES } from "./words.ts";

showTheme();

const begin = () => {
  openLastUnit(session.rights()?.units ?? null);
  render(<App session={session} answers={answers} />, byId("content"));
};

const end = () => {
  answers.clear();
  render(null, byId("content"));
};

const session = openSession(MESSAGES, { begin: () => begin(), end: () => end() });
const answers = openAnswers(session);
