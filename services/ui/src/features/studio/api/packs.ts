import type { components } from "../../../contracts/api";
import { answerOf, api, once } from "../../../lib/api";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";

export type AgentPacks = components["schemas"]["PacksOfAgent"];
export type AgentPack = components["schemas"]["PackOfAgent"];

export type PackSettings = components["schemas"]["SettingsOfPack"];
/** What is set, by pack. */
export type SettingsByPack = Readonly<Record<string, Record<string, unknown>>>;

/** The packs of tools that an agent may have, the enabled ones first, in their order. */
export function readPacks(agentId: string, signal: AbortSignal): Promise<AgentPacks> {
  return answerOf(api.GET("/agents/{agent_id}/packs", { params: { path: { agent_id: agentId } }, signal }));
}

/** Enable these packs, in this order, and no others, and set what is set of those in `settings`. */
export function writePacks(
  agentId: string,
  packs: readonly string[],
  version: number,
  settings: SettingsByPack = {},
): Promise<AgentPacks> {
  const body = { packs: [...packs], version, settings };
  const header = once(newKey());
  return retrying(() =>
    answerOf(api.PUT("/agents/{agent_id}/packs", { params: { path: { agent_id: agentId }, header }, body })),
  );
}
