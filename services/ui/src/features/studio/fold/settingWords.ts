/** What settings are called and where their values come from, in words. */
import { MODEL_PROVIDERS } from "../../../contracts/providers";
import type { Setting } from "../../../lib/wire";

export interface GroupWords {
  title: string;
  about: string;
}

export const GROUPS: Record<Setting["group"], GroupWords> = {
  models: {
    title: "Models",
    about: "Which model answers, and where it is. A chat that names a model of its own keeps it.",
  },
  keys: {
    title: "Keys",
    about: "Keys are kept encrypted, apart from the log, and sent to their provider alone.",
  },
  prices: {
    title: "Prices",
    about:
      "What tokens cost where that differs from the list that Foldline has. Calls keep the price of their day.",
  },
  budgets: {
    title: "Budgets",
    about:
      "What may be spent on models, and how many calls may act outside in a minute. A call of a model holds back what it may cost, and answers are kept as short as what is left pays for. Days are UTC's. Without a known price, only tokens are bounded.",
  },
  limits: { title: "Limits of new chats", about: "Chats that exist keep theirs." },
  search: { title: "Web search", about: "Where web_search asks." },
  commands: {
    title: "Commands",
    about:
      "What workspace commands can use. Their requests go through Foldline, which checks each against the policy; for encrypted connections it sees only the host.",
  },
  people: { title: "You", about: "Times, and how often you are notified." },
};

export const ORDER: readonly Setting["group"][] = [
  "models",
  "keys",
  "budgets",
  "limits",
  "prices",
  "search",
  "commands",
  "people",
];

const LABELS: Record<string, string> = {
  model: "Model",
  model_base_url: "Server",
  model_api_key: "Key of your own server",
  model_low: "Model for simple work (low)",
  model_medium: "Model for ordinary work (medium)",
  model_high: "Model for hard work (high)",
  embedding_model: "Model for search by meaning",
  model_servers: "Servers of single models",
  model_context_window: "Context windows (tokens)",
  thinking_effort: "Effort of thinking",
  thinking_budget: "Tokens for thinking",
  model_thinking: "Thinking by model",
  vision_models: "Models that see pictures",
  small_models: "Small models",
  text_calls: "Models whose calls are read from text",
  answer_limit: "Longest answer (tokens)",
  tools: "Tools in each request",
  prices: "Prices by model",
  token_limit: "Tokens of a chat",
  session_cost_limit: "Cost of a chat (US dollars)",
  agent_daily_token_limit: "Tokens of an agent in a day",
  agent_daily_cost_limit: "Cost of an agent in a day (US dollars)",
  agent_token_limit: "Tokens of an agent in all",
  agent_cost_limit: "Cost of an agent in all (US dollars)",
  daily_token_limit: "Tokens of all agents in a day",
  daily_cost_limit: "Cost of all agents in a day (US dollars)",
  total_token_limit: "Tokens of all agents in all",
  total_cost_limit: "Cost of all agents in all (US dollars)",
  external_calls_limit: "Calls that act outside, a minute",
  child_timeout: "Seconds of a sub-session",
  child_depth: "Depth of sub-sessions",
  child_count: "Sub-sessions at a time",
  retry_delays: "Seconds until a failed turn continues",
  search_provider: "Search engine",
  searxng_url: "Address of your SearXNG",
  command_network: "Network of commands",
  timezone: "Timezone",
  notifications_limit: "Notifications about one agent in ten minutes",
  ...Object.fromEntries(
    MODEL_PROVIDERS.filter(({ address }) => address === null).map(({ id, name }) => [`${id}_api_key`, name]),
  ),
  brave_api_key: "Key for Brave Search",
  tavily_api_key: "Key for Tavily",
};

export function labelOf({ name }: Pick<Setting, "name">): string {
  return LABELS[name] ?? name;
}

/** Where the value that counts comes from. */
export function sourceWords({ source, origin, own }: Setting): string {
  switch (source) {
    case "environment":
      return `Set by ${origin ?? "the environment"}. It can be changed only where Foldline is started.`;
    case "agent":
      return `Set for this agent${own ? `, version ${own.version}` : ""}.`;
    case "installation":
      return `Set for all agents${own ? `, version ${own.version}` : ""}.`;
    case "file":
      return `From ${origin ?? "foldline.toml"}.`;
    case "default":
      return "Not changed.";
  }
}

/** What a field shows while nothing is typed: what counts, or would after a reset. */
export function belowWords({ below, form }: Setting): string {
  if (form === "secret") return below.is_set ? "Set" : "Not set";
  if (form === "prices") return "openai/my-model 1 4 0.1";
  return below.value === null ? "None" : String(below.value);
}

/** What a reset brings, for people who can't see the field. */
export function resetWords(setting: Setting): string {
  return setting.form === "secret"
    ? `Remove the key ${labelOf(setting)}`
    : `Reset ${labelOf(setting)} to ${belowWords(setting)}`;
}

/** The levels whose model can be tested, with the setting that names it. */
export const LEVELS = [
  { level: null, setting: "model", title: "Test" },
  { level: "low", setting: "model_low", title: "Test" },
  { level: "medium", setting: "model_medium", title: "Test" },
  { level: "high", setting: "model_high", title: "Test" },
] as const;

export type Level = (typeof LEVELS)[number]["level"];
