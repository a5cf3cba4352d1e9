// What every part of the panel knows: who reads, where they are, and the names of their units.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "../session.ts";
import type { Rights } from "../tokens.ts";
import { type Answer, type Answers, useAnswerOf } from "./answers.ts";
import type { List } from "./links.ts";
import type { Place } from "./place.ts";
import type { Unit } from "./reports.ts";

export interface Panel {
  session: Session;
  email: string;
  answers: Answers;
  place: Place;
  /** The list that is shown in place of the tab. */
  list: List | undefined;
  rights: Rights;
  /** The units that the user may read; undefined until they are loaded. */
  units: readonly Unit[] | undefined;
  /** How far the visits and sales reach, as the header says. */
  dataUntil: number | undefined;
  /** The name of a unit; of all of the user's units if the id is empty. */
  unitName(id: string): string;
  /** The name of a cost centre: that of its unit. */
  centreName(id: string | null): string;
  /** The two units that were compared last. */
  lastPair: { current: readonly string[] };
  /** Shows a sentence below the header until the place changes. */
  notify(sentence: string, how?: { isSuccess: boolean }): void;
}

export const PanelContext = createContext<Panel | undefined>(undefined);

export const usePanel = (): Panel => {
  const panel = useContext(PanelContext);
  if (panel === undefined) throw new Error("no session");
  return panel;
};

/** The answer of a path, kept up to date while the component is shown. */
export const useAnswer = <Body>(path: string | undefined, fields?: readonly string[]): Answer<Body> =>
  useAnswerOf<Body>(usePanel().answers, path, fields);
