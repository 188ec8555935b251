/** The gateway's operations that the session list uses. */
import { request } from "../../../lib/http";
import type { Session, SessionPage } from "../../../lib/wire";

/** Sessions per page. */
const PAGE = 60;

export interface ListRequests {
  page(query: { cursor?: string | null; q?: string }): Promise<SessionPage>;
  session(id: string): Promise<Session>;
}

export const listRequests: ListRequests = {
  page: ({ cursor, q }) =>
    request<SessionPage>("/sessions", { query: { cursor, q: q || null, limit: PAGE } }),
  session: (id) => request<Session>(`/sessions/${encodeURIComponent(id)}`),
};
