/** Who answers a new chat: an agent, and a model, and how much that thinks. */
import type { Setting } from "../../../lib/wire";
import { count } from "../../../lib/words";

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** How much a model thinks before it answers. Both null: as settings say, else as the model does by default. */
export interface Thinking {
  effort: Effort | null;
  /** Tokens at most. */
  budget: number | null;
}

export interface Choice {
  agentId: string;
  /** Null: the one that the settings say at each call. */
  model: string | null;
  thinking: Thinking;
}

export const AS_SETTINGS_SAY: Thinking = { effort: null, budget: null };
export const LEAST_BUDGET = 1_024;
export const MOST_BUDGET = 1_000_000;

export const EFFORTS: readonly { effort: Effort | null; words: string }[] = [
  { effort: null, words: "As the settings say" },
  { effort: "none", words: "Not at all" },
  { effort: "minimal", words: "Minimal" },
  { effort: "low", words: "Low" },
  { effort: "medium", words: "Medium" },
  { effort: "high", words: "High" },
  { effort: "xhigh", words: "Highest" },
];

/** What a session or an event says of it, which may leave things out. */
export function thinkingIn(
  said: { effort?: Effort | null; budget?: number | null } | null | undefined,
): Thinking {
  return { effort: said?.effort ?? null, budget: said?.budget ?? null };
}

/** The choice in words, for a line. */
export function thinkingWords({ effort, budget }: Thinking): string {
  const words = EFFORTS.find((one) => one.effort === effort)?.words;
  const tokens = budget === null ? "" : `up to ${count(budget)} tokens`;
  if (effort === null && tokens) return tokens[0]?.toUpperCase() + tokens.slice(1);
  return [words, tokens].filter(Boolean).join(", ");
}

export const isBudget = (budget: number | null): boolean =>
  budget === null || (budget >= LEAST_BUDGET && budget <= MOST_BUDGET);

export const DEFAULT_AGENT = "default";
export const AS_SET: Choice = { agentId: DEFAULT_AGENT, model: null, thinking: AS_SETTINGS_SAY };
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
