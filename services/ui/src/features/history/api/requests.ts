/** The gateway's operations for looking at the past. */
import { Problem, request } from "../../../lib/http";
import type { Session, SessionView, Timeline, TimelineGroup } from "../../../lib/wire";

/** Events per page. */
export const PAGE = 200;

const path = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}`;

export interface PageWishes {
  before?: number;
  group: TimelineGroup | null;
  signal?: AbortSignal;
}

export function readSession(sessionId: string, signal: AbortSignal): Promise<Session> {
  return request(path(sessionId), { signal });
}

export function readTimeline(sessionId: string, { before, group, signal }: PageWishes): Promise<Timeline> {
  const query = { before, group, limit: PAGE };
  return request(`${path(sessionId)}/timeline`, signal ? { query, signal } : { query });
}

export function readState(sessionId: string, at: number, signal: AbortSignal): Promise<SessionView> {
  return request(`${path(sessionId)}/state`, { query: { at }, signal });
}

/** A text of the agent's, as of event `at` or now; version 0: nobody has written it yet. */
export function readText(agentId: string, which: "prompt" | "notes", at: number | null, signal: AbortSignal) {
  return request<{ text: string; version: number }>(`/agents/${encodeURIComponent(agentId)}/${which}`, {
    query: { at },
    signal,
  });
}

export interface KeyVersion {
  key: string;
  version: number;
  sequence: number | null;
}

export async function readKeys(agentId: string, at: number, signal: AbortSignal): Promise<KeyVersion[]> {
  const found = await request<{ keys: KeyVersion[] }>(`/agents/${encodeURIComponent(agentId)}/state`, {
    query: { at },
    signal,
  });
  return found.keys;
}

/** A value of the agent's state; `undefined` where the key has none. */
export async function readValue(
  agentId: string,
  key: string,
  at: number | null,
  signal: AbortSignal,
): Promise<unknown> {
  const where = `/agents/${encodeURIComponent(agentId)}/state/${encodeURIComponent(key)}`;
  try {
    return (await request<{ value: unknown }>(where, { query: { at }, signal })).value;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}

export interface OfferedTool {
  name: string;
  description: string;
}

/** The tools that model call `number` of the session was offered. */
export async function readTools(
  sessionId: string,
  number: number,
  signal: AbortSignal,
): Promise<OfferedTool[]> {
  const call = await request<{
    request: { tools: { function: { name: string; description?: string } }[] } | null;
  }>(`${path(sessionId)}/model-calls/${number}`, { signal });
  return (call.request?.tools ?? []).map(({ function: { name, description = "" } }) => ({
    name,
    description,
  }));
}
