/** The gateway's operations that the session list uses. */
import { answerOf, api } from "../../../lib/api";
import type { Session, SessionPage } from "../../../lib/wire";

/** Sessions per page. */
const PAGE = 60;

export interface ListRequests {
  page(query: { cursor?: string | null; q?: string }): Promise<SessionPage>;
  /** Everything up to event `minSequence` included. */
  session(id: string, minSequence?: number): Promise<Session>;
}

export const listRequests: ListRequests = {
  page: ({ cursor = null, q }) =>
    answerOf(api.GET("/sessions", { params: { query: { cursor, q: q || null, limit: PAGE } } })),
  session: (id, minSequence) =>
    answerOf(
      api.GET("/sessions/{session_id}", {
        params: { path: { session_id: id }, query: { min_sequence: minSequence ?? null } },
      }),
    ),
};
