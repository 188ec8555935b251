/** The gateway's operations for looking at the past. */
import { addressOf, before as momentBefore } from "../../../lib/address";
import { answerOf, api } from "../../../lib/api";
import {
  type AgentMoment,
  type Outline,
  type ReplayReport,
  type Session,
  type SessionView,
  type ThingInTime,
  type Timeline,
  type TimelineGroup,
  type Trace,
  timelineRow,
} from "../../../lib/wire";

/** Rows per page of the timeline. */
export const PAGE = 200;
/** Messages of the chat as of an event, its newest. */
export const MESSAGES = 50;
const SPANS = 200;

export interface TimelineWishes {
  before?: number | null;
  group: TimelineGroup | null;
  q: string;
  limit?: number;
  signal?: AbortSignal | undefined;
}

const inSession = (sessionId: string) => ({ session_id: sessionId });
const moment = (at: number | null) => (at === null ? null : addressOf(at));

export function readSession(sessionId: string, signal: AbortSignal): Promise<Session> {
  return answerOf(api.GET("/sessions/{session_id}", { params: { path: inSession(sessionId) }, signal }));
}

export async function readTimeline(
  sessionId: string,
  { before = null, group, q, limit = PAGE, signal }: TimelineWishes,
): Promise<Timeline> {
  const query = { cursor: moment(before), group, limit, q: q.trim().length > 1 ? q.trim() : null };
  const params = { path: inSession(sessionId), query };
  const page = await answerOf(
    api.GET("/sessions/{session_id}/timeline", { params, ...(signal && { signal }) }),
  );
  return { ...page, items: page.items.map(timelineRow) };
}

/** Where one can stop, after an address. */
export function readOutline(sessionId: string, after: string | null, signal: AbortSignal): Promise<Outline> {
  const params = { path: inSession(sessionId), query: { after } };
  return answerOf(api.GET("/sessions/{session_id}/outline", { params, signal }));
}

/** The session as of an event (null: now), with its newest messages. */
export function readState(sessionId: string, at: number | null, signal: AbortSignal): Promise<SessionView> {
  const params = { path: inSession(sessionId), query: { at: moment(at), messages: MESSAGES } };
  return answerOf(api.GET("/sessions/{session_id}/state", { params, signal }));
}

/** What the agent had after an event (null: has now), as the session sees it. */
export function readAgent(
  agentId: string,
  sessionId: string,
  at: number | null,
  signal: AbortSignal,
): Promise<AgentMoment> {
  const params = { path: { agent_id: agentId }, query: { at: moment(at), ...inSession(sessionId) } };
  return answerOf(api.GET("/agents/{agent_id}/moment", { params, signal }));
}

/** One thing right before an event, after it, and now. */
export function readThing(
  agentId: string,
  thing: { kind: string; name: string },
  at: number,
  signal: AbortSignal,
): Promise<ThingInTime> {
  const query = { kind: thing.kind as "state", name: thing.name, at: addressOf(at) };
  return answerOf(
    api.GET("/agents/{agent_id}/moment/thing", { params: { path: { agent_id: agentId }, query }, signal }),
  );
}

/** The database's tables after an event (null: now). */
export async function readTables(agentId: string, at: number | null, signal: AbortSignal) {
  const params = { path: { agent_id: agentId }, query: { at: moment(at) } };
  return (await answerOf(api.GET("/agents/{agent_id}/database", { params, signal }))).items;
}

/** The first rows of a table after an event (null: now), as lines of text. */
export async function readRows(
  agentId: string,
  table: string,
  at: number | null,
  signal: AbortSignal,
): Promise<string> {
  const sql = `SELECT * FROM "${table.replaceAll('"', '""')}" LIMIT 200`;
  const body = { sql, params: [], at: at === null ? null : Math.floor(at) };
  const params = { path: { agent_id: agentId } };
  const found = await answerOf(api.POST("/agents/{agent_id}/database:query", { params, body, signal }));
  const line = (cells: readonly unknown[]) =>
    cells.map((cell) => (typeof cell === "string" ? cell : JSON.stringify(cell))).join(" | ");
  const lines = [line(found.columns), ...found.rows.map(line)];
  return found.truncated || found.rows.length === 200
    ? [...lines, "… and more"].join("\n")
    : lines.join("\n");
}

/** The turn of an event (null: the newest), a page of its spans. */
export function readTrace(
  sessionId: string,
  at: number | null,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Trace> {
  const params = { path: inSession(sessionId), query: { at: moment(at), cursor, limit: SPANS } };
  return answerOf(api.GET("/sessions/{session_id}/trace", { params, ...(signal && { signal }) }));
}

/** An event as it stands in the log. */
export async function readEvent(sessionId: string, place: number, signal: AbortSignal): Promise<unknown> {
  const query = { cursor: addressOf(momentBefore(place)), limit: 1 };
  const params = { path: inSession(sessionId), query };
  const { items: events } = await answerOf(api.GET("/sessions/{session_id}/events", { params, signal }));
  return events[0] ?? null;
}

/** What today's engine makes of the session: it is asked nothing of the world. */
export async function replayStrictly(sessionId: string): Promise<ReplayReport> {
  const body = { mode: "strict" as const };
  const report = await answerOf(
    api.POST("/sessions/{session_id}:replay", { params: { path: inSession(sessionId) }, body }),
  );
  if ("id" in report) throw new Error("The gateway made a fork, and replayed nothing.");
  return report;
}

/** A page of messages before an address, oldest first. */
export async function readMessages(sessionId: string, cursor: string | null) {
  const params = { path: inSession(sessionId), query: { cursor, limit: 200 } };
  return answerOf(api.GET("/sessions/{session_id}/messages", { params }));
}

/** Take in an exported session, under ids of its own; the new session's id. */
export async function importSession(file: File): Promise<string> {
  const made = await answerOf(
    api.POST("/sessions:import", {
      params: { query: { ids: "new" } },
      body: file as never,
      bodySerializer: (body: unknown) => body as File,
      headers: { "content-type": "application/x-ndjson" },
    }),
  );
  return made.id;
}
