/** What waits for the person, and when it is to be read again. */

import type { components } from "../../../contracts/api";
import { placeOf } from "../../../lib/address";
import { sessionRow } from "../../../lib/rows";
import type { LogEvent } from "../../../lib/wire";
import { isEntityEvent } from "../../../lib/wire";

export type WaitingThing = components["schemas"]["WaitingThing"];
export type InboxWake = components["schemas"]["InboxWake"];

export interface AttentionView {
  /** Newest first. */
  things: readonly WaitingThing[];
  /** How many there are in all. */
  total: number;
  /** What other services left, oldest first. */
  wakes: readonly InboxWake[];
  wakesTotal: number;
}

/** How many things wait, of either sort. */
export function count(view: AttentionView): number {
  return view.total + view.wakesTotal;
}

/** What waits now and did not before. */
export function arrived(
  before: AttentionView,
  now: AttentionView,
): { things: WaitingThing[]; wakes: InboxWake[] } {
  const known = new Set([...before.things.map(({ key }) => key), ...before.wakes.map(({ id }) => id)]);
  return {
    things: now.things.filter(({ key }) => !known.has(key)),
    wakes: now.wakes.filter(({ id }) => !known.has(id)),
  };
}

/**
 * As of which event what waits may be different, after one that came; null: this says nothing of it. What becomes of
 * sessions their rows tell, and of the inbox and of tools the events of what an agent has.
 */
export function changedBy(event: LogEvent): number | null {
  if (isEntityEvent(event)) return ["inbox", "tool"].includes(event.body.kind) ? event.sequence : null;
  if (event.rows === null) return event.sequence;
  const changed = sessionRow(event)?.attention ?? null;
  return changed === null ? null : placeOf(changed);
}
