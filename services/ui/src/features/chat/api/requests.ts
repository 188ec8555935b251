/** The gateway's operations that a chat uses. */
import { addressOf } from "../../../lib/address";
import { answerOf, api, once } from "../../../lib/api";
import type { ApprovalAnswer } from "../../../lib/approvals";
import { answerCall, readCall } from "../../../lib/calls";
import { newKey } from "../../../lib/newKey";
import { Problem } from "../../../lib/problems";
import type { Acted } from "../../../lib/shown";
import type { FoundMessages, InputReceipt, MessagePage, Session, ToolCall } from "../../../lib/wire";
import type { Choice, Thinking } from "../fold/choosing";
import type { Said } from "../fold/outbox";
import type { Answer } from "../fold/question";
import type { ChatMessage, Rating } from "../fold/view";

/** Messages per page. */
export const PAGE = 50;
/** The most that the gateway gives at once: where one goes far back. */
export const LARGE_PAGE = 200;

export interface ChatRequests {
  session(minSequence: number): Promise<Session>;
  /** The newest page, and the session at the same moment. */
  newest(minSequence?: number): Promise<MessagePage & { session: Session }>;
  earlier(cursor: string, limit: number): Promise<MessagePage>;
  /** Which messages of the whole conversation hold these words: the newest of them. */
  find(words: string): Promise<FoundMessages>;
  call(callId: string): Promise<ToolCall>;
  send(said: Said, key: string): Promise<InputReceipt>;
  answer(callId: string, answer: Answer | Acted | ApprovalAnswer, key: string): Promise<InputReceipt>;
  interrupt(key: string): Promise<InputReceipt>;
  /** Ask the model again where the last turn failed. */
  retry(key: string): Promise<InputReceipt>;
  archive(key: string): Promise<InputReceipt>;
  reopen(key: string): Promise<InputReceipt>;
  continueWith(tokenLimit: number, key: string): Promise<InputReceipt>;
  rename(title: string, key: string): Promise<InputReceipt>;
  /** How much the model thinks from its next call on. */
  think(thinking: Thinking, key: string): Promise<InputReceipt>;
}

/** The operations on one session. Reads with `minSequence` wait until what was written there can be read. */
export function chatRequests(sessionId: string): ChatRequests {
  const path = { session_id: sessionId };
  const post = (key: string) => ({ params: { path, header: once(key) } });
  return {
    session: (minSequence) =>
      answerOf(api.GET("/sessions/{session_id}", { params: { path, query: { min_sequence: minSequence } } })),
    async newest(minSequence) {
      const query = { limit: PAGE, min_sequence: minSequence ?? null };
      const { session, ...page } = await answerOf(
        api.GET("/sessions/{session_id}/messages", { params: { path, query } }),
      );
      if (!session) throw new Problem(503, "unavailable", "The session can't be read yet. Try again.");
      return { ...page, session };
    },
    earlier: (cursor, limit) =>
      answerOf(api.GET("/sessions/{session_id}/messages", { params: { path, query: { cursor, limit } } })),
    find: (words) =>
      answerOf(api.GET("/sessions/{session_id}/messages/found", { params: { path, query: { q: words } } })),
    call: (callId) => readCall(sessionId, callId),
    send: ({ text, files, prompt = null }, key) =>
      answerOf(
        api.POST("/sessions/{session_id}/messages", {
          ...post(key),
          body: { text, files: [...files], ...(prompt && { prompt }) },
        }),
      ),
    answer: (callId, response, key) => answerCall(sessionId, callId, response, key),
    interrupt: (key) => answerOf(api.POST("/sessions/{session_id}:interrupt", post(key))),
    retry: (key) => answerOf(api.POST("/sessions/{session_id}:retry", post(key))),
    archive: (key) => answerOf(api.POST("/sessions/{session_id}:archive", post(key))),
    reopen: (key) => answerOf(api.POST("/sessions/{session_id}:reopen", post(key))),
    continueWith: (tokenLimit, key) =>
      answerOf(
        api.POST("/sessions/{session_id}:continue", { ...post(key), body: { token_limit: tokenLimit } }),
      ),
    rename: (title, key) => answerOf(api.PATCH("/sessions/{session_id}", { ...post(key), body: { title } })),
    think: (thinking, key) =>
      answerOf(api.PATCH("/sessions/{session_id}", { ...post(key), body: { thinking } })),
  };
}

/** Start a session, with its first message unless that is to come. */
export function createSession(
  message: string | null,
  { agentId, model, thinking }: Choice,
  key: string,
): Promise<Session> {
  const chosen = thinking.effort !== null || thinking.budget !== null;
  const body = { message, agent_id: agentId, model, thinking: chosen ? thinking : null };
  return answerOf(api.POST("/sessions", { params: { header: once(key) }, body }));
}

/** Rate an answer, or (null) take the rating back. */
export function rateAnswer(
  { sessionId, sequence }: ChatMessage,
  rating: Rating | null,
): Promise<InputReceipt> {
  const body = { answer: addressOf(sequence), rating: rating?.value ?? null, text: rating?.text ?? null };
  const params = { path: { session_id: sessionId }, header: once(newKey()) };
  return answerOf(api.POST("/sessions/{session_id}:rate", { params, body }));
}
