/** The gateway's operations on a cap on spending, where it stopped a turn. */
import { answerOf, api } from "../../../lib/api";
import type { Setting, Settings } from "../../../lib/wire";

/** The cap as it holds for an agent; those of all agents together stand with the installation's settings. */
export async function readCap(agentId: string, name: string, signal: AbortSignal): Promise<Setting | null> {
  const params = { path: { agent_id: agentId } };
  const { items: settings } = await answerOf(api.GET("/agents/{agent_id}/settings", { params, signal }));
  const own = settings.find((one) => one.name === name);
  if (own) return own;
  const all = await answerOf(api.GET("/settings", { signal }));
  return all.items.find((one) => one.name === name) ?? null;
}

/** Set it where it was set: for the agent if it has one of its own, else for all agents. */
export function raiseCap(agentId: string, { name, source, own }: Setting, value: number): Promise<Settings> {
  const body = { values: { [name]: value }, versions: {} };
  if (source !== "agent" || own === null) return answerOf(api.PATCH("/settings", { body }));
  return answerOf(
    api.PATCH("/agents/{agent_id}/settings", { params: { path: { agent_id: agentId } }, body }),
  );
}
