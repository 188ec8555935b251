/** The gateway's operations on what an agent changed of itself. */
import { answerOf, api, once } from "../../../lib/api";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";
import type { AgentRewound, OwnChange, OwnChanges } from "../../../lib/wire";

/** Changes per page. */
const PAGE = 50;

/** What an agent made, changed and deleted of its own, newest first; of one kind, or (null) of all. */
export function readOwnChanges(
  agentId: string,
  kind: string | null,
  cursor: string | null,
  signal: AbortSignal,
): Promise<OwnChanges> {
  const params = { path: { agent_id: agentId }, query: { kind, cursor, limit: PAGE } };
  return answerOf(api.GET("/agents/{agent_id}/changes", { params, signal }));
}

/** Make the thing what it was right before the change. */
export function undoChange(agentId: string, { address }: OwnChange): Promise<AgentRewound> {
  const params = { path: { agent_id: agentId, address }, header: once(newKey()) };
  return retrying(() => answerOf(api.POST("/agents/{agent_id}/changes/{address}/undo", { params })));
}
