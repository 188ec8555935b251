import type { components } from "../../../contracts/api";
import { answerOf, api, once } from "../../../lib/api";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";

export type AgentPacks = components["schemas"]["PacksOfAgent"];
export type AgentPack = components["schemas"]["PackOfAgent"];

/** The packs of tools that an agent may have, the enabled ones first, in their order. */
export function readPacks(agentId: string, signal: AbortSignal): Promise<AgentPacks> {
  return answerOf(api.GET("/agents/{agent_id}/packs", { params: { path: { agent_id: agentId } }, signal }));
}

/** Enable these packs, in this order, and no others. */
export function writePacks(agentId: string, packs: readonly string[], version: number): Promise<AgentPacks> {
  const body = { packs: [...packs], version };
  const header = once(newKey());
  return retrying(() =>
    answerOf(api.PUT("/agents/{agent_id}/packs", { params: { path: { agent_id: agentId }, header }, body })),
  );
}
