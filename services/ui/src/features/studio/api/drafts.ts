/** What was written in the studio and not saved, one per thing. It survives leaving the page, and a reload. */
import { recall, remember } from "../../../lib/browserStorage";
import type { ListSection } from "../fold/sections";
import type { Place, Thing } from "./requests";

/** Texts by the ids of their parts. */
type Texts = Readonly<Record<string, string>>;

export interface KeptEdit {
  /** What was edited, as it was then. */
  base: Thing;
  texts: Texts;
}

export interface KeptBeginning {
  name: string;
  texts: Texts;
}

const nameOf = ({ agentId, section, name }: Place) =>
  `foldline.studio.${agentId}.${section}.${encodeURIComponent(name)}`;
const beginningOf = (agentId: string, section: ListSection) => `foldline.studio-new.${agentId}.${section}`;

export const readEdit = (place: Place): KeptEdit | null => read<KeptEdit>(nameOf(place));
export const keepEdit = (place: Place, edit: KeptEdit | null): void => keep(nameOf(place), edit);

export const readBeginning = (agentId: string, section: ListSection): KeptBeginning | null =>
  read<KeptBeginning>(beginningOf(agentId, section));
export const keepBeginning = (agentId: string, section: ListSection, kept: KeptBeginning | null): void =>
  keep(beginningOf(agentId, section), kept);

const queryOf = (agentId: string) => `foldline.studio-query.${agentId}`;

/** The query that was written last. */
export const readQuery = (agentId: string): string => recall(sessionStorage, queryOf(agentId));
export const keepQuery = (agentId: string, sql: string): void =>
  remember(sessionStorage, queryOf(agentId), sql);

const argumentsOf = ({ agentId, section, name }: Place) =>
  `foldline.studio-arguments.${agentId}.${section}.${encodeURIComponent(name)}`;

/** With what a thing was tried last, as JSON. */
export const readArguments = (place: Place): string => recall(sessionStorage, argumentsOf(place));
export const keepArguments = (place: Place, text: string): void =>
  remember(sessionStorage, argumentsOf(place), text);

function keep(key: string, kept: object | null): void {
  remember(sessionStorage, key, kept && JSON.stringify(kept));
}

function read<Kept>(key: string): Kept | null {
  const text = recall(sessionStorage, key);
  if (!text) return null;
  try {
    return JSON.parse(text) as Kept;
  } catch (error) {
    console.warn(`The draft "${key}" could not be read back`, error);
    return null;
  }
}
