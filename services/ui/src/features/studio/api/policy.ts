/** The gateway's operations on an agent's policy. */
import { addressOf } from "../../../lib/address";
import { answerOf, api } from "../../../lib/api";
import type { Policy, PolicyTrial, Versions } from "../../../lib/wire";
import { type Draft, plain } from "../fold/policy";

/** As it is now, or was after an event. */
export function readPolicy(agentId: string, at: number | null, signal: AbortSignal): Promise<Policy> {
  const query = { at: at === null ? null : addressOf(at) };
  return answerOf(
    api.GET("/agents/{agent_id}/policy", { params: { path: { agent_id: agentId }, query }, signal }),
  );
}

/** This one from now on, unless somebody changed it since `version`. */
export function writePolicy(agentId: string, draft: Draft, version: number): Promise<Policy> {
  const params = { path: { agent_id: agentId } };
  return answerOf(api.PUT("/agents/{agent_id}/policy", { params, body: { ...plain(draft), version } }));
}

/** What it would have said of the newest calls. */
export function tryPolicy(agentId: string, draft: Draft): Promise<PolicyTrial> {
  const params = { path: { agent_id: agentId } };
  return answerOf(api.POST("/agents/{agent_id}/policy/trial", { params, body: plain(draft) }));
}

export function readPolicyVersions(agentId: string, signal: AbortSignal): Promise<Versions> {
  const params = { path: { agent_id: agentId } };
  return answerOf(api.GET("/agents/{agent_id}/policy/versions", { params, signal }));
}

/** The policy of an earlier version again. */
export function revertPolicy(agentId: string, sequence: number): Promise<Policy> {
  const params = { path: { agent_id: agentId } };
  return answerOf(api.POST("/agents/{agent_id}/policy/revert", { params, body: { sequence } }));
}
