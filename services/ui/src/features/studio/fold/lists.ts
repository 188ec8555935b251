/** All lists of what an agent did. A new one is a new file in `components/lists`. */
import type { ReactNode } from "react";

/** What a row says of the call by which it was done. */
export interface DoneRow {
  tool: string | null;
  recorded_at: string;
  session_id: string;
  sequence: number;
  title: string | null;
}

/** What narrows a list down: texts, and a choice. */
export interface Narrowing<Name extends string = string> {
  label: string;
  texts: readonly { key: Name; label: string; hint: string; longest: number }[];
  choice: { key: Name; label: string; any: string; words: Readonly<Record<string, string>> };
}

export interface DoneList<Row extends DoneRow = DoneRow> {
  /** The list's route, and its section of the studio. */
  name: string;
  title: string;
  order: number;
  about: string;
  /** What stands where there is nothing at all. */
  none: string;
  narrowing: Narrowing;
  /** What it is saved as, before the agent's name. */
  saved: string;
  what(one: Row): ReactNode;
  badge(one: Row): ReactNode;
  facts(one: Row): ReactNode;
  /** What stands below the row. */
  below?(one: Row): ReactNode;
}

const found = import.meta.glob<DoneList>(["../components/lists/*.tsx", "!**/*.test.tsx"], {
  eager: true,
  import: "default",
});

/** By name; `listsInOrder` has them as people see them. */
export const LISTS: Record<string, DoneList> = Object.fromEntries(
  Object.values(found).map((list) => [list.name, list]),
);

export const listsInOrder = (): DoneList[] =>
  Object.values(LISTS).sort((one, other) => one.order - other.order);
