/** What the agent has, in short: lists by section, each item by name. */
import type { Written } from "../../../lib/wire";
import { LISTS, type ListSection, type Section } from "./sections";

export interface Item extends Written {
  name: string;
  description: string;
  enabled: boolean;
  /** Why a tool is not offered to the model until it is edited. */
  quarantined: string | null;
  /** Where a secret may be sent. */
  hosts: readonly string[];
  /** A secret whose value the agent's code gets. */
  reveal: boolean;
}

/** The newest change that came live, to be told. */
export interface LiveChange {
  sequence: number;
  section: Section;
  name: string;
  by: string;
  /** null: it was deleted. */
  version: number | null;
}

export interface StudioView {
  lists: Readonly<Record<ListSection, Readonly<Record<string, Item>>>>;
  /** The last event about each thing that came live, by `keyOf`. */
  changed: Readonly<Record<string, number>>;
  latest: LiveChange | null;
  /** The last event about a setting of the agent, such as which tools are pinned. */
  settings: number;
  /** The last event about a file. */
  files: number;
  /** The last event about the database. */
  database: number;
  /** The last event about a reminder, a scheduled task, or a run of one. */
  times: number;
}

export type Lists = Record<ListSection, readonly Item[]>;

export const EMPTY: StudioView = fromLists(
  Object.fromEntries(LISTS.map((section) => [section, []])) as unknown as Lists,
);

export const keyOf = (section: Section, name: string) => `${section}/${name}`;

/** The view that was read. */
export function fromLists(lists: Lists): StudioView {
  const byName = LISTS.map((section) => [
    section,
    Object.fromEntries(lists[section].map((item) => [item.name, item])),
  ]);
  return {
    lists: Object.fromEntries(byName) as StudioView["lists"],
    changed: {},
    latest: null,
    settings: 0,
    files: 0,
    database: 0,
    times: 0,
  };
}

/** An item with what its kind doesn't have filled in. */
export function itemOf(found: Written & { name: string } & Partial<Item>): Item {
  const { version, sequence, time, actor, session_id, call_id } = found;
  return {
    ...{ name: found.name, version, sequence, time, actor, session_id, call_id },
    description: found.description ?? "",
    enabled: found.enabled ?? true,
    quarantined: found.quarantined ?? null,
    hosts: found.hosts ?? [],
    reveal: found.reveal ?? false,
  };
}

/** By name, those whose name or description has the words. */
export function found(items: Readonly<Record<string, Item>>, words: string): Item[] {
  const wanted = words.trim().toLowerCase();
  return Object.values(items)
    .filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(wanted))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
