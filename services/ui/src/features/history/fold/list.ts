/** The rows of a session's course as far as they were loaded, newest first. */
import type { Timeline, TimelineRow } from "../../../lib/wire";

export interface RowList {
  rows: readonly TimelineRow[];
  /** Fetches what is older; null if there is nothing. */
  before: string | null;
  /** How many events the session has, of all kinds. */
  count: number;
  /** True where the newest row is the newest there is. */
  newest: boolean;
}

/** A page; `newest`: nothing is after it. */
export function begun(page: Timeline, newest = true): RowList {
  return { rows: page.items, before: page.next_cursor, count: page.count, newest };
}

/** The list with the page that follows it; a page that was asked for elsewhere changes nothing. */
export function withOlder(list: RowList, page: Timeline): RowList {
  const last = list.rows.at(-1)?.place ?? Number.POSITIVE_INFINITY;
  const older = page.items.filter((row) => row.place < last);
  return { ...list, rows: [...list.rows, ...older], before: page.next_cursor, count: page.count };
}

/** The list with what came since, put before it. `page` must reach back to what is there: else it begins anew. */
export function withNewer(list: RowList, page: Timeline, newest = true): RowList {
  const first = list.rows[0]?.place ?? 0;
  const newer = page.items.filter((row) => row.place > first);
  if (newer.length === page.items.length && page.next_cursor !== null) return begun(page, newest);
  const again = new Map(page.items.map((row) => [row.place, row]));
  const known = list.rows.map((row) => again.get(row.place) ?? row);
  return { rows: [...newer, ...known], before: list.before, count: page.count, newest };
}

/** The row that an event is in: its own, that of its call, or the last one before it. -1: none that is loaded. */
export function rowOf(rows: readonly TimelineRow[], place: number): number {
  const exact = rows.findIndex((row) => row.place === place || row.endPlace === place);
  return exact >= 0 ? exact : rows.findIndex((row) => row.place <= place);
}

/** True where the row of this event isn't loaded, and may be found further back or later. */
export function isBeyond(list: RowList, place: number): boolean {
  const first = list.rows[0];
  const last = list.rows.at(-1);
  if (!first || !last) return false;
  return (place < last.place && list.before !== null) || (place > first.place && !list.newest);
}
