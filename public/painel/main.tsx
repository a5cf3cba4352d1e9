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
import { rename } from "./navigation.ts";
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

/** The place that was opened while the session could not be continued, and the one that the picture shows instead. */
let opened: { search: string; instead: string } | undefined;

const begin = () => {
  // Unless the user went on from the picture.
  if (opened && location.search === opened.instead) rename(opened.search);
  opened = undefined;
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
  const { search } = location;
  // Opened without a place, the panel goes on where the picture is.
  if (search !== "" && !isAppStart(new URLSearchParams(search))) opened = { search, instead: picture.search };
  rename(picture.search);
  guessTime(picture.at + Date.now() - picture.keptAt);
  answers.restore(picture.path, picture.body, picture.at);
  show(picture, picture.clock);
  return true;
};

showTheme();
const session = openSession(MESSAGES, { begin: () => begin(), end: () => end(), showLastPicture });
const answers = openAnswers(session);
