/** The gateway's operations that the session list uses. */
import { answerOf, api, once } from "../../../lib/api";
import type { InputReceipt, SessionPage } from "../../../lib/wire";

/** Sessions per page. */
const PAGE = 60;

export interface ListRequests {
  page(query: { cursor?: string | null; q?: string }): Promise<SessionPage>;
  rename(id: string, title: string, key: string): Promise<InputReceipt>;
  pin(id: string, pinned: boolean, key: string): Promise<InputReceipt>;
  archive(id: string, key: string): Promise<InputReceipt>;
  reopen(id: string, key: string): Promise<InputReceipt>;
  erase(id: string, key: string): Promise<InputReceipt>;
}

const post = (id: string, key: string) => ({ params: { path: { session_id: id }, header: once(key) } });

export const listRequests: ListRequests = {
  page: ({ cursor = null, q }) =>
    answerOf(api.GET("/sessions", { params: { query: { cursor, q: q || null, limit: PAGE } } })),
  rename: (id, title, key) =>
    answerOf(api.PATCH("/sessions/{session_id}", { ...post(id, key), body: { title } })),
  pin: (id, pinned, key) =>
    answerOf(api.PATCH("/sessions/{session_id}", { ...post(id, key), body: { pinned } })),
  archive: (id, key) => answerOf(api.POST("/sessions/{session_id}:archive", post(id, key))),
  erase: (id, key) => answerOf(api.DELETE("/sessions/{session_id}", post(id, key))),
  reopen: (id, key) => answerOf(api.POST("/sessions/{session_id}:reopen", post(id, key))),
};
