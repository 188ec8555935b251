import { Problem, request } from "../../../lib/http";

/** What answers here. */
export interface Installation {
  model: string | null;
  /** True if no model is configured and the demo model plays. */
  demo: boolean;
}

/** Ask the gateway; null if this gateway does not tell. */
export async function readInstallation(signal: AbortSignal): Promise<Installation | null> {
  try {
    const { model } = await request<{ model?: string | null }>("/settings", { signal });
    return { model: model ?? null, demo: /(^|\/)demo$/.test(model ?? "") };
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}
