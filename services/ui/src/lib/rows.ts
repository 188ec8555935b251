/**
 * Rows as the stream of events has them: with each event come those that it changed, whole and as the API shows them.
 * A view keeps the newest of each, by its key; whoever puts one again changes nothing.
 */
import type { components } from "../contracts/api";
import type { LogEvent, Message, ToolCall } from "./wire";

type Session = components["schemas"]["Session"];

/** A session without those around it, which only the API tells. */
export type SessionRow = components["schemas"]["SessionSummary"] &
  Pick<Session, "queued" | "open_model_call" | "cut_model_call" | "newest_model_call">;

export type RowChange =
  | { table: "sessions"; key: [session: string]; row: SessionRow }
  | { table: "messages"; key: [session: string, address: string]; row: Message }
  | { table: "tool_calls"; key: [session: string, call: string]; row: ToolCall };

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
