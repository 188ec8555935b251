/** Who answers a new chat: an agent, and a model, and how hard that thinks. */
import type { Setting } from "../../../lib/wire";

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

export interface Choice {
  agentId: string;
  /** Null: the one that the settings say at each call. */
  model: string | null;
  /** How hard the model thinks; null: as settings say, else as the model does anyway. */
  effort: Effort | null;
}

export const EFFORTS: readonly { effort: Effort | null; words: string }[] = [
  { effort: null, words: "As the model does" },
  { effort: "none", words: "Not at all" },
  { effort: "minimal", words: "Minimal" },
  { effort: "low", words: "Low" },
  { effort: "medium", words: "Medium" },
  { effort: "high", words: "High" },
  { effort: "xhigh", words: "Highest" },
];

export const DEFAULT_AGENT = "default";
export const AS_SET: Choice = { agentId: DEFAULT_AGENT, model: null, effort: null };
/** Characters of a model's name, or of five with commas between them. */
export const LONGEST_MODEL = 1_010;

type Known = Pick<Setting, "name" | "value" | "is_set">;

export interface Offer {
  model: string | null;
  words: string;
}

const LEVELS = [
  ["model_low", "simple work"],
  ["model_medium", "ordinary work"],
  ["model_high", "hard work"],
] as const;

/** The models that settings name, the usual one first. */
export function offers(settings: readonly Known[]): Offer[] {
  const usual = textOf(settings, "model");
  const found: Offer[] = [{ model: null, words: usual === null ? "The usual one" : `${usual} (usual)` }];
  const known = new Set([usual]);
  for (const [name, work] of LEVELS) {
    const model = textOf(settings, name);
    if (model === null || known.has(model)) continue;
    known.add(model);
    found.push({ model, words: `${model} (${work})` });
  }
  return found;
}

/** Why this model can't answer as far as the settings tell; null: nothing is known against it. */
export function unready(settings: readonly Known[], chosen: string | null): string | null {
  const usual = textOf(settings, "model");
  const provider = providerOf(chosen ?? usual);
  if (provider === null) return null;
  // The server of one's own, with its key, is asked for all models of its provider.
  if (textOf(settings, "model_base_url") !== null && provider === providerOf(usual)) return null;
  // So is that of a single model, which may need no key.
  const servers = textOf(settings, "model_servers")?.split(",") ?? [];
  if (servers.some((one) => one.split("=")[0]?.trim() === (chosen ?? usual))) return null;
  const key = settings.find(({ name }) => name === `${provider}_api_key`);
  if (key === undefined || key.is_set) return null;
  return `No key for ${provider} is set, so ${chosen ?? usual} can't answer. Nothing is lost if you send it: set the key, then ask again.`;
}

function providerOf(model: string | null): string | null {
  const [provider = "", name] = (model ?? "").replace(/^litellm\//, "").split("/");
  return name === undefined || name === "demo" ? null : provider;
}

function textOf(settings: readonly Known[], name: string): string | null {
  const value = settings.find((one) => one.name === name)?.value;
  return typeof value === "string" && value ? value : null;
}
