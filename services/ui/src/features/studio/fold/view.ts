/** What the agent has, in short: lists by kind, each item by name; and how an event changes it. */

import { capital, KINDS, kindNamed } from "../../../lib/kinds";
import type { EntityEvent } from "../../../lib/wire";
import { isEntityEvent, type LogEvent, type Version, type Written } from "../../../lib/wire";
import { isPaged, listedKinds } from "./shelves";

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

export type Items = Readonly<Record<string, Item>>;

/** The newest change that came live, to be told. */
export interface LiveChange {
  sequence: number;
  kind: string;
  name: string;
  by: string;
  /** null: it was deleted. */
  version: number | null;
}

export interface StudioView {
  /** By kind. */
  lists: Readonly<Record<string, Items>>;
  /** The last event about each thing that came live, by `keyOf`. */
  changed: Readonly<Record<string, number>>;
  latest: LiveChange | null;
  /** The last event about each kind. */
  since: Readonly<Record<string, number>>;
}

/** The items of each kind, as they were read. */
export type Lists = Readonly<Record<string, readonly Item[]>>;

export const EMPTY: StudioView = { lists: {}, changed: {}, latest: null, since: {} };

export const keyOf = (kind: string, name: string) => `${kind}/${name}`;
export const itemsOf = ({ lists }: StudioView, kind: string): Items => lists[kind] ?? {};

/** The view that was read. */
export function fromLists(lists: Lists): StudioView {
  const byName = Object.entries(lists).map(([kind, items]) => [
    kind,
    Object.fromEntries(items.map((item) => [item.name, item])),
  ]);
  return { ...EMPTY, lists: Object.fromEntries(byName) };
}

/** An item with what its kind doesn't have filled in. */
export function itemOf(found: Written & { name: string } & Partial<Item>): Item {
  const { version, sequence, written_at, actor, session_id, call_id } = found;
  return {
    ...{ name: found.name, version, sequence, written_at, actor, session_id, call_id },
    description: found.description ?? "",
    enabled: found.enabled ?? true,
    quarantined: found.quarantined ?? null,
    hosts: found.hosts ?? [],
    reveal: found.reveal ?? false,
  };
}

/** By name, those whose name or description has the words. */
export function found(items: Items, words: string): Item[] {
  const wanted = words.trim().toLowerCase();
  return Object.values(items)
    .filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(wanted))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether some page of the studio shows this kind. */
const isShown = (kind: string): boolean =>
  Object.values(KINDS).some((one) => isPaged(one) && (one.kind === kind || one.page.follows?.includes(kind)));

/** The view after an event; the same view if the event is about nothing in it, or older than what it shows. */
export function evolve(view: StudioView, event: LogEvent): StudioView {
  if (
    event.type === "foldline.agent.database_written.v1" ||
    event.type === "foldline.agent.database_restored.v1"
  )
    return noted(view, "database", event.sequence);
  if (!isEntityEvent(event) || !isShown(event.body.kind)) return view;
  const { kind } = event.body;
  const form = kindNamed(kind)?.page?.form;
  const listed = listedKinds().some((one) => one.kind === kind);
  if (!listed && form !== "text") return noted(view, kind, event.sequence);
  return changed(view, kind, listed, event);
}

function noted(view: StudioView, kind: string, sequence: number): StudioView {
  if ((view.since[kind] ?? 0) >= sequence) return view;
  return { ...view, since: { ...view.since, [kind]: sequence } };
}

function changed(view: StudioView, kind: string, listed: boolean, event: EntityEvent): StudioView {
  const { sequence, actor, body } = event;
  // Of a text there is one: its kind is its name.
  const name = listed ? body.name : kind;
  const key = keyOf(kind, name);
  const items = itemsOf(view, kind);
  if ((view.changed[key] ?? 0) >= sequence || (items[name]?.sequence ?? 0) >= sequence) return view;
  const version = "version" in body ? body.version : null;
  return {
    ...noted(view, kind, sequence),
    lists: listed ? { ...view.lists, [kind]: withItem(items, name, event) } : view.lists,
    changed: { ...view.changed, [key]: sequence },
    latest: { sequence, kind, name, by: actor, version },
  };
}

function withItem(items: Items, name: string, { sequence, time, actor, body }: EntityEvent): Items {
  if (!("version" in body && "value" in body)) {
    const { [name]: _gone, ...rest } = items;
    return rest;
  }
  const { version, session_id = null, call_id = null, value } = body;
  const written = { version, sequence, written_at: time, actor: actor as Item["actor"], session_id, call_id };
  // A kind whose value is one of its members may hold anything in it; those of the other kinds are of one shape.
  const shape = kindNamed(body.kind)?.page?.value ? {} : (value as Partial<Item>);
  return { ...items, [name]: itemOf({ ...shape, ...written, name }) };
}

const BY: Record<string, string> = { user: "you", agent: "the agent", service: "Foldline" };

/** Who it was, after "by". */
export function by(actor: string | null): string {
  return actor === null ? "nobody" : (BY[actor] ?? actor);
}

/** A version's name in a list where numbers may come again after a deletion. */
export function versionName({ version, deleted, sequence }: Version): string {
  return deleted ? `Deleted (event ${sequence})` : `Version ${version} (event ${sequence})`;
}

/** What is told to a screen reader when something changes by itself. */
export function told(change: LiveChange | null): string {
  if (!change) return "";
  const { kind, name, version } = change;
  const { noun = kind, only } = kindNamed(kind) ?? {};
  const one = only ? `the ${noun}` : `the ${noun} ${name}`;
  const did = version === null ? "deleted" : version === 1 ? "made" : "changed";
  const which = version === null || version === 1 ? "" : `: version ${version}`;
  return `${capital(by(change.by))} ${did} ${one}${which}.`;
}

/** Two versions by their events; equal where there is only one. */
export interface Pair {
  from: number;
  to: number;
}

/** What was chosen, as far as it is there; else the newest and the one before it. Lists are newest first. */
export function chosenPair(versions: readonly Version[], wanted: Partial<Pair>): Pair {
  const there = (sequence: number | undefined) =>
    versions.some((one) => one.sequence === sequence) ? sequence : undefined;
  const to = there(wanted.to) ?? versions[0]?.sequence ?? 0;
  const before = versions[versions.findIndex((one) => one.sequence === to) + 1];
  return { from: there(wanted.from) ?? before?.sequence ?? to, to };
}

/** Whether reverting to the version at `index` would do anything. */
export const revertible = (versions: readonly Version[], index: number): boolean =>
  index > 0 && versions[index]?.deleted === false;
