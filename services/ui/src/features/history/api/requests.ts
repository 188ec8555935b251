/** The gateway's operations for looking at the past. */
import { addressOf } from "../../../lib/address";
import { answerOf, api } from "../../../lib/api";
import { isNotFound } from "../../../lib/problems";
import {
  type FileFacts,
  type FilePage,
  type Session,
  type SessionView,
  type Timeline,
  type TimelineGroup,
  timelineEvent,
} from "../../../lib/wire";

/** Events per page. */
export const PAGE = 200;

export interface PageWishes {
  before?: string;
  group: TimelineGroup | null;
  signal?: AbortSignal;
}

export function readSession(sessionId: string, signal: AbortSignal): Promise<Session> {
  return answerOf(api.GET("/sessions/{session_id}", { params: { path: { session_id: sessionId } }, signal }));
}

export async function readTimeline(
  sessionId: string,
  { before, group, signal }: PageWishes,
): Promise<Timeline> {
  const params = { path: { session_id: sessionId }, query: { before: before ?? null, group, limit: PAGE } };
  const page = await answerOf(
    api.GET("/sessions/{session_id}/timeline", { params, ...(signal && { signal }) }),
  );
  return { ...page, events: page.events.map(timelineEvent) };
}

export function readState(sessionId: string, at: number, signal: AbortSignal): Promise<SessionView> {
  const params = { path: { session_id: sessionId }, query: { at: addressOf(at) } };
  return answerOf(api.GET("/sessions/{session_id}/state", { params, signal }));
}

/** A text of the agent's, as of event `at` or now; version 0: nobody has written it yet. */
export function readText(agentId: string, which: "prompt" | "notes", at: number | null, signal: AbortSignal) {
  const params = { path: { agent_id: agentId }, query: { at: at === null ? null : addressOf(at) } };
  return answerOf(
    which === "prompt"
      ? api.GET("/agents/{agent_id}/prompt", { params, signal })
      : api.GET("/agents/{agent_id}/notes", { params, signal }),
  );
}

/** The files that a session sees, as of event `at` or now. */
export async function readFiles(
  agentId: string,
  sessionId: string,
  at: number | null,
  signal: AbortSignal,
): Promise<FileFacts[]> {
  const files: FileFacts[] = [];
  for (let after: string | null = null; ; ) {
    const query = { session_id: sessionId, at: at === null ? null : addressOf(at), after, limit: 1_000 };
    const params = { path: { agent_id: agentId }, query };
    const page: FilePage = await answerOf(api.GET("/agents/{agent_id}/files", { params, signal }));
    files.push(...page.files);
    after = page.after;
    if (after === null) return files;
  }
}

export interface KeyVersion {
  key: string;
  version: number;
  sequence: number | null;
}

export async function readKeys(agentId: string, at: number, signal: AbortSignal): Promise<KeyVersion[]> {
  const params = { path: { agent_id: agentId }, query: { at: addressOf(at) } };
  return (await answerOf(api.GET("/agents/{agent_id}/state", { params, signal }))).keys;
}

/** A value of the agent's state; `undefined` where the key has none. */
export async function readValue(
  agentId: string,
  key: string,
  at: number | null,
  signal: AbortSignal,
): Promise<unknown> {
  const params = { path: { agent_id: agentId, key }, query: { at: at === null ? null : addressOf(at) } };
  try {
    return (await answerOf(api.GET("/agents/{agent_id}/state/{key}", { params, signal }))).value;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
