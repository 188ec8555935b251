/** The gateway's operations on an agent's database: all of them only read. */
import { answerOf, api } from "../../../lib/api";
import type { Order } from "../../../lib/ordering";
import type { DatabaseRows, DatabaseTable } from "../../../lib/wire";
import { CELL, ROWS, tableQuery } from "../fold/rows";

interface Part {
  skip?: number;
  rows?: number | null;
  /** Characters of each value; null: all of it. */
  cell: number | null;
}

/** Its tables by name, with their columns and how many rows each has. */
export async function readTables(agentId: string, signal: AbortSignal): Promise<readonly DatabaseTable[]> {
  const params = { path: { agent_id: agentId } };
  return (await answerOf(api.GET("/agents/{agent_id}/database", { params, signal }))).tables;
}

function query(
  agentId: string,
  sql: string,
  { skip = 0, rows = null, cell }: Part,
  signal: AbortSignal,
): Promise<DatabaseRows> {
  const body = { sql, params: [], at: null, skip, rows, cell };
  const params = { path: { agent_id: agentId } };
  return answerOf(api.POST("/agents/{agent_id}/database/query", { params, body, signal }));
}

/** A page of a table's rows, after the first `first` of them; long values are cut. */
export function readRows(
  agentId: string,
  table: string,
  order: Order | null,
  first: number,
  signal: AbortSignal,
): Promise<DatabaseRows> {
  return query(agentId, tableQuery(table, order, first), { rows: ROWS, cell: CELL }, signal);
}

/** What a statement that reads gives: a thousand rows at most; long values are cut. */
export function runQuery(agentId: string, sql: string, signal: AbortSignal): Promise<DatabaseRows> {
  return query(agentId, sql, { cell: CELL }, signal);
}

/** One value, whole: of a statement's row and column, counted from 0. */
export async function readCell(
  agentId: string,
  sql: string,
  row: number,
  column: number,
  signal: AbortSignal,
): Promise<unknown> {
  const found = await query(agentId, sql, { skip: row, rows: 1, cell: null }, signal);
  const values = found.rows[0];
  if (!values) throw new Error("The row is gone: somebody changed the table. Read it again.");
  return values[column];
}
