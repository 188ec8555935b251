/** The events of a session as far as they were loaded, newest first. */
import type { Timeline, TimelineEvent } from "../../../lib/wire";

export interface EventList {
  events: readonly TimelineEvent[];
  /** Fetches what is older; null if there is nothing. */
  before: string | null;
  /** How many events the session has, of all kinds. */
  count: number;
}

/** The newest page. */
export function begun(page: Timeline): EventList {
  return { events: page.events, before: page.before, count: page.count };
}

/** The list with the page that follows it; a page that was asked for elsewhere changes nothing. */
export function withOlder(list: EventList, page: Timeline): EventList {
  const last = list.events.at(-1)?.sequence ?? Number.POSITIVE_INFINITY;
  const older = page.events.filter((event) => event.sequence < last);
  return { events: [...list.events, ...older], before: page.before, count: page.count };
}

/** The list with what came since, put before it. `page` must reach back to what is there: else it begins anew. */
export function withNewer(list: EventList, page: Timeline): EventList {
  const first = list.events[0]?.sequence ?? 0;
  const newer = page.events.filter((event) => event.sequence > first);
  if (newer.length === page.events.length && page.before !== null) return begun(page);
  const hidden = new Map(page.events.map((event) => [event.sequence, event]));
  const known = list.events.map((event) => hidden.get(event.sequence) ?? event);
  return { events: [...newer, ...known], before: list.before, count: page.count };
}

/** The events next to event `at`: what comes before and after it in time. */
export function neighbours(list: EventList, at: number): { earlier: number | null; later: number | null } {
  const earlier = list.events.find((event) => event.sequence < at)?.sequence ?? null;
  const later = list.events.findLast((event) => event.sequence > at)?.sequence ?? null;
  return { earlier, later };
}
