/** What was written in the studio and not saved, one per thing. It survives leaving the page, and a reload. */
import { recall, remember } from "../../../lib/browserStorage";
import type { Place, Thing } from "./things";

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

const keyOf = (of: string, { agentId, kind, name }: Place) =>
  `foldline.${of}.${agentId}.${kind.kind}.${encodeURIComponent(name)}`;
const beginningOf = (agentId: string, kind: string) => `foldline.studio-new.${agentId}.${kind}`;

export const readEdit = (place: Place): KeptEdit | null => read<KeptEdit>(keyOf("studio", place));
export const keepEdit = (place: Place, edit: KeptEdit | null): void => keep(keyOf("studio", place), edit);

export const readBeginning = (agentId: string, kind: string): KeptBeginning | null =>
  read<KeptBeginning>(beginningOf(agentId, kind));
export const keepBeginning = (agentId: string, kind: string, kept: KeptBeginning | null): void =>
  keep(beginningOf(agentId, kind), kept);

const queryOf = (agentId: string) => `foldline.studio-query.${agentId}`;

/** The query that was written last. */
export const readQuery = (agentId: string): string => recall(sessionStorage, queryOf(agentId));
export const keepQuery = (agentId: string, sql: string): void =>
  remember(sessionStorage, queryOf(agentId), sql);

/** With what a thing was tried last, as JSON. */
export const readArguments = (place: Place): string =>
  recall(sessionStorage, keyOf("studio-arguments", place));
export const keepArguments = (place: Place, text: string): void =>
  remember(sessionStorage, keyOf("studio-arguments", place), text);

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
