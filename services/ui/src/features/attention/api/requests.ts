/** What waits for the person, and what can be done about what other services left. */
import type { components } from "../../../contracts/api";
import { answerOf, api } from "../../../lib/api";
import type { AttentionView, InboxWake } from "../fold/view";

type Page = components["schemas"]["WaitingThings"];

const WAKES = 50;

/** What waits as of an event of the log, or now; the first page of each sort. */
export async function readAttention(
  min_sequence: number | null,
  signal: AbortSignal,
): Promise<AttentionView & { cursor: string | null }> {
  const [{ items: things, total, next_cursor: cursor }, inbox] = await Promise.all([
    answerOf(api.GET("/attention", { params: { query: { min_sequence } }, signal })),
    answerOf(api.GET("/inbox", { params: { query: { limit: WAKES } }, signal })),
  ]);
  return { things, total, cursor, wakes: inbox.items, wakesTotal: inbox.total };
}

export function moreThings(cursor: string): Promise<Page> {
  return answerOf(api.GET("/attention", { params: { query: { cursor } } }));
}

export function dismiss({ agent_id, id }: InboxWake) {
  const path = { agent_id, inbox_id: id };
  return answerOf(api.DELETE("/inbox/{agent_id}/{inbox_id}", { params: { path } }));
}

/** Gives a wake to the session that it was meant for, or to a new one; which that is. */
export async function open({ agent_id, id, session_id }: InboxWake): Promise<string> {
  const session = session_id ?? (await answerOf(api.POST("/sessions", { body: { agent_id } }))).id;
  const path = { agent_id, inbox_id: id };
  await answerOf(
    api.POST("/inbox/{agent_id}/{inbox_id}:hand", { params: { path }, body: { session_id: session } }),
  );
  return session;
}
