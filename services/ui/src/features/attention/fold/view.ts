/** What waits for the person, and which events change it. */

import type { components } from "../../../contracts/api";
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

const SESSION_EVENTS: ReadonlySet<string> = new Set(
  [
    "created",
    "reminder_due",
    "waiting",
    "became_idle",
    "turn_started",
    "turn_failed",
    "token_limit_hit",
    "completed",
    "failed",
    "continued",
    "tool_response",
    "user_message",
    "tool_call_pending",
    "tool_call_completed",
    "tool_call_failed",
    "tool_call_cancelled",
    "tool_quarantined",
    "outcome_settled",
    "interrupted",
    "archived",
    "reopened",
    "renamed",
    "titled",
    "rewound",
  ].map((type) => `foldline.session.${type}.v1`),
);

/** Whether what waits may be different after an event. */
export function concerns(event: LogEvent): boolean {
  if (isEntityEvent(event)) return event.body.kind === "inbox" || event.body.kind === "tool";
  return SESSION_EVENTS.has(event.type);
}
