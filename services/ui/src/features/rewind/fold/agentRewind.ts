/** What a person chose to take back of an agent, out of what a rewind would do. */

import { kindWords, thingWords } from "../../../lib/kinds";
import type { AgentPlace } from "../../../lib/rewinding";
import type { AgentRewindPreview, RewindableThing } from "../../../lib/wire";

type Kind = AgentRewindPreview["kinds"][number];
type Parts = { kind: string; names?: string[] }[];

/** Names (`kind/name`) of the things that stay although they could go back. */
export type Kept = ReadonlySet<string>;

export interface AgentRewindBody {
  to: number;
  chosen?: Parts;
}

export const thingKey = (kind: string, name: string) => `${kind}/${name}`;

/** What stays at first: nothing; all but one thing, where only that is meant; all but some kinds. */
export function keptAtFirst(preview: AgentRewindPreview, place: AgentPlace): Kept {
  const { only, undoes } = place;
  const stays = (kind: string, name: string) =>
    only ? only.kind !== kind || only.name !== name : undoes !== undefined && !undoes.kinds.includes(kind);
  return new Set(
    preview.kinds.flatMap(({ kind, things }) =>
      things.filter(({ name }) => stays(kind, name)).map(({ name }) => thingKey(kind, name)),
    ),
  );
}

/** Take one thing out of what goes back, or in again. */
export function toggledThing(kept: Kept, kind: string, name: string): Kept {
  const next = new Set(kept);
  const key = thingKey(kind, name);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Take a whole kind in, or out if any of it is in. */
export function toggledKind(kept: Kept, kind: Kind): Kept {
  const next = new Set(kept);
  const out = goingOf(kept, kind) > 0;
  for (const { name } of kind.things) {
    const key = thingKey(kind.kind, name);
    if (out) next.add(key);
    else next.delete(key);
  }
  return next;
}

/** How many listed things of a kind go back. */
export function goingOf(kept: Kept, { kind, things }: Kind): number {
  return things.filter(({ name }) => !kept.has(thingKey(kind, name))).length;
}

/** What to ask for; null where nothing is chosen. Everything is asked for as that, however much there is. */
export function agentRewindBody(preview: AgentRewindPreview, kept: Kept): AgentRewindBody | null {
  const parts: Parts = [];
  let all = true;
  for (const kind of preview.kinds) {
    const names = kind.things.map(({ name }) => name);
    const going = names.filter((name) => !kept.has(thingKey(kind.kind, name)));
    if (going.length < names.length) all = false;
    if (going.length === names.length) parts.push({ kind: kind.kind });
    else if (going.length) parts.push({ kind: kind.kind, names: going });
  }
  if (!parts.length) return null;
  return all ? { to: preview.to } : { to: preview.to, chosen: parts };
}

const FATES = { changed: "changed back", added: "removed", removed: "comes back" };

/** What becomes of a thing. */
export const fateOf = (thing: RewindableThing): string => FATES[thing.since];

/** Who changed it since, where that was not only the chat that is looked from; nothing otherwise. */
export function othersWords(thing: RewindableThing, sessionId: string | undefined): string | null {
  if (sessionId === undefined) return null;
  const chats = thing.sessions.some((one) => one !== sessionId);
  if (chats && thing.by_people) return "Other chats and people have changed it since.";
  if (chats) return "Another chat has changed it since.";
  return thing.by_people ? "A person has changed it since." : null;
}

/** What a rewind did, in words: how many of each kind. */
export function rewoundWords({ rewound }: { rewound: Record<string, number> }): string[] {
  return Object.entries(rewound).map(([kind, count]) =>
    count === 1 ? thingWords(kind, "").trim() : `${kindWords(kind)}: ${count}`,
  );
}

const WHY: Record<string, string> = {
  changed_meanwhile: "it was changed at the same moment",
  changed_by_others: "others changed it too",
  inexact: "it can't be made again as it was then",
  path_taken: "another file has its path now",
};

/** Why something stays as it is. */
export const whyWords = (why: string): string => WHY[why] ?? why;
