import { answerOf, api } from "../../../lib/api";
import { isNotFound } from "../../../lib/problems";

/** What answers here. */
export interface Installation {
  model: string | null;
  /** True if no model is configured and the demo model plays. */
  demo: boolean;
}

/** Ask the gateway; null if this gateway does not tell. */
export async function readInstallation(signal: AbortSignal): Promise<Installation | null> {
  try {
    const { settings } = await answerOf(api.GET("/settings", { signal }));
    const found = settings.find((one) => one.name === "model")?.value;
    const model = typeof found === "string" ? found : null;
    return { model, demo: /(^|\/)demo$/.test(model ?? "") };
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}
