/** What the palette asks of the gateway. */
import { answerOf, api, once } from "../../../lib/api";
import { newKey } from "../../../lib/newKey";
import type { Agent, Session } from "../../../lib/wire";

const FOUND = 20;

/** Sessions with these words in their titles or messages. */
export async function search(q: string, signal: AbortSignal): Promise<Session[]> {
  const query = { q, limit: FOUND };
  return (await answerOf(api.GET("/sessions", { params: { query }, signal }))).items;
}

export async function readAgents(signal: AbortSignal): Promise<Agent[]> {
  return (await answerOf(api.GET("/agents", { signal }))).items;
}

const of = (session_id: string) => ({ params: { path: { session_id }, header: once(newKey()) } });

export const stop = (id: string) => answerOf(api.POST("/sessions/{session_id}:interrupt", of(id)));
export const retry = (id: string) => answerOf(api.POST("/sessions/{session_id}:retry", of(id)));
export const archive = (id: string) => answerOf(api.POST("/sessions/{session_id}:archive", of(id)));
export const reopen = (id: string) => answerOf(api.POST("/sessions/{session_id}:reopen", of(id)));
