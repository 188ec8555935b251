/** One call of a session: read, and answered where it waits for a person. */
import { answerOf, api, once } from "./api";
import type { InputReceipt, ToolCall } from "./wire";

export function readCall(sessionId: string, callId: string, signal?: AbortSignal): Promise<ToolCall> {
  const params = { path: { session_id: sessionId, call_id: callId } };
  return answerOf(api.GET("/sessions/{session_id}/calls/{call_id}", { params, ...(signal && { signal }) }));
}

/** Answer it; a repeat under the same key changes nothing. */
export function answerCall(
  sessionId: string,
  callId: string,
  response: unknown,
  key: string,
): Promise<InputReceipt> {
  const params = { path: { session_id: sessionId }, header: once(key) };
  const body = { call_id: callId, response };
  return answerOf(api.POST("/sessions/{session_id}/tool-responses", { params, body }));
}
