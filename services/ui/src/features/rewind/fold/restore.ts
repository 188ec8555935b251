/** What a person chose to take back of an agent, out of what a restore would do. */
import type { AgentPlace } from "../../../lib/rewinding";
import { kindWords, thingWords } from "../../../lib/things";
import type { AgentRestored, RestorableThing, RestorePreview } from "../../../lib/wire";

type Kind = RestorePreview["kinds"][number];
type Parts = { kind: string; names?: string[] }[];

/** Names (`kind/name`) of the things that stay although they could go back. */
export type Kept = ReadonlySet<string>;

export interface RestoreBody {
  to: number;
  parts?: Parts;
}

export const restoreKey = (kind: string, name: string) => `${kind}/${name}`;

/** What stays at first: nothing; all but one thing, where only that is meant; all but some kinds. */
export function keptAtFirst(preview: RestorePreview, place: AgentPlace): Kept {
  const { only, undoes } = place;
  const stays = (kind: string, name: string) =>
    only ? only.kind !== kind || only.name !== name : undoes !== undefined && !undoes.kinds.includes(kind);
  return new Set(
    preview.kinds.flatMap(({ kind, things }) =>
      things.filter(({ name }) => stays(kind, name)).map(({ name }) => restoreKey(kind, name)),
    ),
  );
}

/** Take one thing out of what goes back, or in again. */
export function toggledThing(kept: Kept, kind: string, name: string): Kept {
  const next = new Set(kept);
  const key = restoreKey(kind, name);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Take a whole kind in, or out if any of it is in. */
export function toggledKind(kept: Kept, kind: Kind): Kept {
  const next = new Set(kept);
  const out = goingOf(kept, kind) > 0;
  for (const { name } of kind.things) {
    const key = restoreKey(kind.kind, name);
    if (out) next.add(key);
    else next.delete(key);
  }
  return next;
}

/** How many listed things of a kind go back. */
export function goingOf(kept: Kept, { kind, things }: Kind): number {
  return things.filter(({ name }) => !kept.has(restoreKey(kind, name))).length;
}

/** What to ask for; null where nothing is chosen. Everything is asked for as that, however much there is. */
export function restoreBody(preview: RestorePreview, kept: Kept): RestoreBody | null {
  const parts: Parts = [];
  let all = true;
  for (const kind of preview.kinds) {
    const names = kind.things.map(({ name }) => name);
    const going = names.filter((name) => !kept.has(restoreKey(kind.kind, name)));
    if (going.length < names.length) all = false;
    if (going.length === names.length) parts.push({ kind: kind.kind });
    else if (going.length) parts.push({ kind: kind.kind, names: going });
  }
  if (!parts.length) return null;
  return all ? { to: preview.to } : { to: preview.to, parts };
}

const FATES = { changed: "changed back", added: "removed", removed: "comes back" };

/** What becomes of a thing. */
export const fateOf = (thing: RestorableThing): string => FATES[thing.since];

/** Who changed it since, where that was not only the chat that is looked from; nothing otherwise. */
export function othersWords(thing: RestorableThing, sessionId: string | undefined): string | null {
  if (sessionId === undefined) return null;
  const chats = thing.sessions.some((one) => one !== sessionId);
  if (chats && thing.by_people) return "Other chats and people have changed it since.";
  if (chats) return "Another chat has changed it since.";
  return thing.by_people ? "A person has changed it since." : null;
}

/** What a restore did, in words: how many of each kind. */
export function restoredWords({ restored }: AgentRestored): string[] {
  return Object.entries(restored).map(([kind, count]) =>
    count === 1 ? thingWords(kind, "").trim() : `${kindWords(kind)}: ${count}`,
  );
}

const WHY: Record<string, string> = {
  changed_meanwhile: "it was changed at the same moment",
  path_taken: "another file has its path now",
};

/** Why something stays as it is. */
export const whyWords = (why: string): string => WHY[why] ?? why;
