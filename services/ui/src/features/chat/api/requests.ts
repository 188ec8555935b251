/** The gateway's operations that a chat uses. */
import { Problem, request } from "../../../lib/http";
import type { Accepted, MessagePage, Session, ToolCall } from "../../../lib/wire";
import type { Answer } from "../fold/question";

/** Messages per page. */
export const PAGE = 50;

export interface ChatRequests {
  session(minSequence: number): Promise<Session>;
  /** The newest page, and the session at the same moment. */
  newest(minSequence?: number): Promise<MessagePage & { session: Session }>;
  earlier(before: number): Promise<MessagePage>;
  call(callId: string): Promise<ToolCall>;
  send(text: string, key: string): Promise<Accepted>;
  answer(callId: string, answer: Answer, key: string): Promise<Accepted>;
  interrupt(key: string): Promise<Accepted>;
  archive(key: string): Promise<Accepted>;
  continueWith(tokenLimit: number, key: string): Promise<Accepted>;
  rename(title: string, key: string): Promise<Accepted>;
}

/** The operations on one session. Reads with `minSequence` wait until what was written there can be read. */
export function chatRequests(sessionId: string): ChatRequests {
  const path = `/sessions/${encodeURIComponent(sessionId)}`;
  const post = (action: string, body: unknown, idempotencyKey: string) =>
    request<Accepted>(`${path}/${action}`, { method: "POST", body, idempotencyKey });
  return {
    session: (minSequence) => request<Session>(path, { query: { min_sequence: minSequence } }),
    async newest(minSequence) {
      const query = { limit: PAGE, min_sequence: minSequence };
      const { session, ...page } = await request<MessagePage>(`${path}/messages`, { query });
      if (!session) throw new Problem(503, "unavailable", "The session can't be read yet. Try again.");
      return { ...page, session };
    },
    earlier: (before) => request<MessagePage>(`${path}/messages`, { query: { before, limit: PAGE } }),
    call: (callId) => request<ToolCall>(`${path}/calls/${encodeURIComponent(callId)}`),
    send: (text, key) => post("messages", { text }, key),
    answer: (callId, answer, key) => post("tool-responses", { call_id: callId, response: answer }, key),
    interrupt: (key) => post("interrupt", {}, key),
    archive: (key) => post("archive", {}, key),
    continueWith: (tokenLimit, key) => post("continue", { token_limit: tokenLimit }, key),
    rename: (title, key) => post("title", { title }, key),
  };
}

/** Start a session with its first message. */
export function createSession(message: string, key: string): Promise<Session> {
  return request<Session>("/sessions", { method: "POST", body: { message }, idempotencyKey: key });
}
