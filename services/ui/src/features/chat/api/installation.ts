import { answerOf, api } from "../../../lib/api";
import { isNotFound } from "../../../lib/problems";
import type { Agent, Setting } from "../../../lib/wire";

/** What answers here. */
export interface Installation {
  model: string | null;
  /** True if no model is configured and the demo model plays. */
  demo: boolean;
  /** As they hold for the agent. */
  settings: readonly Setting[];
}

/** Ask the gateway; null if this gateway does not tell. */
export async function readInstallation(agentId: string, signal: AbortSignal): Promise<Installation | null> {
  try {
    const params = { path: { agent_id: agentId } };
    const { items: settings } = await answerOf(api.GET("/agents/{agent_id}/settings", { params, signal }));
    const found = settings.find((one) => one.name === "model")?.value;
    const model = typeof found === "string" ? found : null;
    return { model, demo: /(^|\/)demo$/.test(model ?? ""), settings };
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** The agents there are. */
export async function readAgents(signal: AbortSignal): Promise<readonly Agent[]> {
  return (await answerOf(api.GET("/agents", { signal }))).items;
}
