/** All kinds of things that an agent has, and their things in words. A new kind is a new file in `kinds`. */
import { pretty } from "./jsonText";
import type { Group, Kind } from "./kind";
import { isMembers, members } from "./shape";

const found = import.meta.glob<Kind>("./kinds/*.ts", { eager: true, import: "default" });

/** By name; `inOrder` has them as people see them. */
export const KINDS: Record<string, Kind> = Object.fromEntries(
  Object.values(found).map((kind) => [kind.kind, kind]),
);

export const kindNamed = (name: string): Kind | undefined =>
  Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;

/** The kinds of these groups, one group after another. */
export function inOrder(...groups: readonly (Group | null)[]): Kind[] {
  const of = (group: Group | null) => Object.values(KINDS).filter((kind) => kind.group === group);
  return groups.flatMap((group) => of(group).sort((one, other) => one.order - other.order));
}

/** All that a person calls by the name of its kind, as a moment of the past shows it. */
export const inMoments = (): Kind[] => inOrder("works", "made", "kept").filter(({ tab }) => tab !== null);

/** What an agent can change of itself. */
export const ofItself = (): Kind[] => inOrder("works", "made", "kept").filter(({ byPeople }) => !byPeople);

/** A kind of things, as a heading. */
export const kindWords = (kind: string): string => kindNamed(kind)?.title ?? kind;

/** The heading of the kind that has this name in addresses. */
export const titleAt = (path: string): string =>
  Object.values(KINDS).find(({ page }) => page?.path === path)?.title ?? path;

/** A thing's name for people; of a kind of which there is only one, the kind's. */
export function thingWords(kind: string, label: string): string {
  const { noun = kind, only } = kindNamed(kind) ?? {};
  const words = capital(noun);
  return only ? words : `${words} ${label}`;
}

/** A thing's name where only that is known: without an id, which says nothing to people. */
export const shortThingWords = (kind: string, name: string): string =>
  thingWords(kind, kindNamed(kind)?.named === undefined ? name : "").trim();

/** A thing's name where its value is known: by what that says, if its own name is an id. */
export function saidThingWords(kind: string, name: string, value: unknown): string {
  const said = members(value)[kindNamed(kind)?.named ?? ""];
  return thingWords(kind, typeof said === "string" ? said : name);
}

export const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** The member that is read by itself, without quotes around it. */
const BODIES = ["code", "content", "text"];

/** A value as text: what it says or its code as it is written, other members in lines before it. */
export function textOfThing(value: unknown): string {
  const body = isMembers(value) ? BODIES.find((name) => typeof value[name] === "string") : undefined;
  if (!isMembers(value) || body === undefined) return pretty(value);
  const others = Object.entries(value).filter(([name]) => name !== body);
  const lines = others.map(([name, other]) => `${name}: ${pretty(other)}`);
  return [...lines, ...(lines.length ? [""] : []), String(value[body])].join("\n");
}
