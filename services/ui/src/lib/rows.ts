/**
 * Rows as the stream of events has them: with each event come those that it changed, whole and as the API shows them.
 * A view keeps the newest of each, by its key; whoever puts one again changes nothing.
 */
import type { LogEvent, RowChange, SessionRow } from "./wire";

/** The rows of one table that an event changed. */
export function rowsOf<Table extends RowChange["table"]>(
  event: LogEvent,
  table: Table,
): Extract<RowChange, { table: Table }>[] {
  const changed = event.rows ?? [];
  return changed.filter((one): one is Extract<RowChange, { table: Table }> => one.table === table);
}

/** The row of the event's session after it; null for an event that changed none. */
export function sessionRow(event: LogEvent): SessionRow | null {
  return rowsOf(event, "sessions")[0]?.row ?? null;
}

/** The map with a row in place of the one with its key. */
export function withRow<Row>(rows: Readonly<Record<string, Row>>, key: string, row: Row) {
  return { ...rows, [key]: row };
}
