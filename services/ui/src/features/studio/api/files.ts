/** The gateway's operations on an agent's files and its database that are of them alone. */
import { answerOf, api } from "../../../lib/api";
import type { Order } from "../../../lib/ordering";
import { written } from "../../../lib/retrying";
import type { DatabaseRows, DatabaseTable, FileFacts } from "../../../lib/wire";
import { CELL, ROWS, tableQuery } from "../fold/rows";

/** Files per page. */
const PAGE = 100;
/** Characters of a text that are shown. */
const SHOWN = 20_000;

export interface FileList {
  files: readonly FileFacts[];
  /** How many there are in all, and their bytes. */
  count: number;
  bytes: number;
}

/** Files by path, the first `pages` pages of them. */
export async function readFiles(
  agentId: string,
  prefix: string,
  pages: number,
  signal: AbortSignal,
): Promise<FileList> {
  const files: FileFacts[] = [];
  let cursor: string | null = null;
  for (let page = 0; ; ) {
    const query: { prefix: string; limit: number; cursor: string | null } = { prefix, limit: PAGE, cursor };
    const params = { path: { agent_id: agentId }, query };
    const found = await answerOf(api.GET("/agents/{agent_id}/files", { params, signal }));
    files.push(...found.items);
    cursor = found.next_cursor;
    page += 1;
    if (cursor === null || page >= pages) return { files, count: found.count, bytes: found.bytes };
  }
}

/** The beginning of a text file. */
export function readBeginning(file: FileFacts, signal: AbortSignal): Promise<string> {
  const { file_id, version } = file;
  return answerOf(
    api.GET("/files/{file_id}/content", {
      params: { path: { file_id }, query: { version } },
      headers: { Range: `bytes=0-${SHOWN - 1}` },
      parseAs: "text",
      signal,
    }),
  );
}

/** Upload files for all sessions of the agent. */
export function uploadForAll(agentId: string, files: readonly File[]): Promise<readonly FileFacts[]> {
  const form = new FormData();
  form.append("agent_id", agentId);
  form.append("scope", "agent");
  for (const file of files) form.append("file", file, file.webkitRelativePath || file.name);
  return written(async (header) => {
    const sent = { body: form as never, bodySerializer: (body: unknown) => body as FormData };
    return (await answerOf(api.POST("/files", { params: { header }, ...sent }))).items;
  });
}

/** Make a session's file one for all sessions. */
export const promote = ({ agent_id, file_id }: FileFacts): Promise<unknown> =>
  written((header) => {
    const params = { path: { agent_id, file_id }, header };
    return answerOf(api.POST("/agents/{agent_id}/files/{file_id}:promote", { params }));
  });

/** The tables of the database by name, with their columns and how many rows each has. */
export async function readTables(agentId: string, signal: AbortSignal): Promise<readonly DatabaseTable[]> {
  const params = { path: { agent_id: agentId } };
  return (await answerOf(api.GET("/agents/{agent_id}/database", { params, signal }))).items;
}

interface Part {
  skip?: number;
  rows?: number | null;
  /** Characters of each value; null: all of it. */
  cell: number | null;
}

function query(agentId: string, sql: string, part: Part, signal: AbortSignal): Promise<DatabaseRows> {
  const body = { sql, params: [], at: null, skip: 0, rows: null, ...part };
  const params = { path: { agent_id: agentId } };
  return answerOf(api.POST("/agents/{agent_id}/database:query", { params, body, signal }));
}

/** A page of a table's rows, after the first `first` of them; long values are cut. */
export const readRows = (
  agentId: string,
  table: string,
  order: Order | null,
  first: number,
  signal: AbortSignal,
) => query(agentId, tableQuery(table, order, first), { rows: ROWS, cell: CELL }, signal);

/** What a statement that reads gives: a thousand rows at most; long values are cut. */
export const runQuery = (agentId: string, sql: string, signal: AbortSignal) =>
  query(agentId, sql, { cell: CELL }, signal);

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
