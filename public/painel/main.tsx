// The page: signs in, and shows the panel while a session lasts.
import { render } from "preact";
import { guessTime } from "../service-clock.ts";
import { byId, openSession } from "../session.ts";
import { keptSub } from "../tokens.ts";
import { openAnswers } from "./answers.ts";
import { App, type Reader } from "./app.tsx";
import { Boundary, Reload } from "./components/boundary.tsx";
import { isAppStart, openLastUnit } from "./last-unit.ts";
import { MESSAGES } from "./messages.ts";
import { openedBefore, rename } from "./navigation.ts";
import { keepShell, lastPicture } from "./offline.ts";
import { showTheme } from "./theme.ts";
import type { Clock } from "./view.ts";

const show = (reader: Reader, clock?: Clock) =>
  render(
    <Boundary of={reader} instead={<Reload />}>
      <App session={session} answers={answers} reader={reader} frozenClock={clock} />
    </Boundary>,
    byId("content"),
  );

const begin = () => {
  const opened = openedBefore();
  if (opened !== undefined) rename(opened);
  const rights = session.rights() ?? { units: [], personalData: false, payments: false };
  void keepShell(session.sub());
  openLastUnit(rights.units);
  show({ sub: session.sub(), email: session.email(), rights });
};

const end = () => {
  answers.clear();
  render(null, byId("content"));
};

/** Shows the last picture of the user who stays signed in. */
const showLastPicture = async () => {
  const picture = await lastPicture(keptSub());
  if (picture === undefined) return false;
  const opened = openedBefore() ?? location.search;
  // Opened without a place, the panel goes on where the picture is.
  const isPlace = opened !== "" && !isAppStart(new URLSearchParams(opened));
  rename(picture.search, isPlace ? { opened } : null);
  guessTime(picture.at + Date.now() - picture.keptAt);
  answers.restore(picture.path, picture.body, picture.at);
  show(picture, picture.clock);
  return true;
};

showTheme();
const session = openSession(MESSAGES, { begin: () => begin(), end: () => end(), showLastPicture });
const answers = openAnswers(session);
