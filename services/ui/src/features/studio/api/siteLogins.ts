/** The gateway's operations on logins that a person kept for an agent. */
import { answerOf, api } from "../../../lib/api";

export async function readSiteLogins(agentId: string, signal: AbortSignal) {
  const params = { path: { agent_id: agentId } };
  return (await answerOf(api.GET("/agents/{agent_id}/site-logins", { params, signal }))).logins;
}

export function forgetSiteLogin(agentId: string, site: string) {
  const params = { path: { agent_id: agentId, site } };
  return answerOf(api.DELETE("/agents/{agent_id}/site-logins/{site}", { params }));
}
