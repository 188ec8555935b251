/** What a model saw, part by part: how much of it each part was, what was cached, and what is new since the call before. */
import { pretty } from "../../../lib/jsonText";
import { titleAt } from "../../../lib/kinds";
import type { SeenCall, SentMessage } from "../../../lib/seenCall";

export type Cached = "cached" | "partly" | "new";
export type Since = "same" | "changed" | "added";

export interface Part {
  /** Names it among the parts of its call, and of the call before. */
  key: string;
  kind: "tools" | "system" | "message" | "summary" | "added";
  name: string;
  /** Exactly what was sent. */
  text: string;
  /** About how many tokens: the provider's count, shared out by size. */
  tokens: number;
  cached: Cached | null;
  /** Against the call before; null where there was none. */
  since: Since | null;
  before: string | null;
  /** The event that it comes from. */
  event: number | null;
  /** The messages (their events) that it stands in place of. */
  hides: readonly number[];
}

const SYSTEM: Record<string, string> = {
  prompt: "The prompt",
  notes: "Learned notes",
  clock: "Date and time",
  tools: "More tools, by name",
  "own tools": "Tools it made, by name",
  quarantined: "Tools in quarantine",
  secrets: "Names of secrets",
  "sub-session": "That it is a sub-session",
  notepad: "This session's notepad",
};
const ROLES: Record<string, string> = { user: "You", assistant: "The agent", tool: "A tool's result" };
/** Characters of a token, roughly, where the provider counted nothing. */
const CHARACTERS = 4;

type Bare = Omit<Part, "tokens" | "cached" | "since" | "before">;

/** The parts in the order in which providers cache them: tools, the system prompt, the messages. */
export function partsOf(call: SeenCall, before: SeenCall | null): Part[] {
  const bare = bareParts(call);
  const earlier = before && new Map(bareParts(before).map((part) => [part.key, part.text]));
  const size = bare.reduce((sum, part) => sum + part.text.length, 0);
  const usage = call.answer?.usage;
  const whole = usage?.input || size / CHARACTERS;
  let told = 0;
  return bare.map((part) => {
    const tokens = size ? (part.text.length / size) * whole : 0;
    const from = told;
    told += tokens;
    const known = earlier?.get(part.key);
    return {
      ...part,
      tokens: Math.round(tokens),
      cached: usage ? cachedOf(from, told, usage.cached) : null,
      since: earlier ? sinceOf(known, part.text) : null,
      before: known ?? null,
    };
  });
}

/** The parts of the call before that this one has no more. */
export function goneSince(call: SeenCall, before: SeenCall): { name: string; text: string }[] {
  const still = new Set(bareParts(call).map((part) => part.key));
  return bareParts(before).filter((part) => !still.has(part.key));
}

/** What a part belongs to, when one asks what the room went to. */
export type Purse = "tools" | "prompt" | "agent" | "summaries" | "conversation";

export interface Budgeted {
  purse: Purse;
  tokens: number;
  /** Of all that was sent (0 to 1). */
  share: number;
  parts: number;
}

const PURSES: readonly Purse[] = ["tools", "prompt", "agent", "summaries", "conversation"];

/** Where the tokens of a call went: what has none is left out. */
export function budgetOf(parts: readonly Part[]): Budgeted[] {
  const whole = parts.reduce((sum, part) => sum + part.tokens, 0);
  return PURSES.map((purse) => {
    const own = parts.filter((part) => purseOf(part) === purse);
    const tokens = own.reduce((sum, part) => sum + part.tokens, 0);
    return { purse, tokens, share: whole ? tokens / whole : 0, parts: own.length };
  }).filter(({ tokens }) => tokens > 0);
}

function purseOf({ kind, key }: Part): Purse {
  if (kind === "tools") return "tools";
  if (kind === "summary") return "summaries";
  if (kind === "system") return key === "system prompt" ? "prompt" : "agent";
  return "conversation";
}

function bareParts(call: SeenCall): Bare[] {
  const { request, parts } = call;
  if (!request) return [];
  const tools = request.tools.length
    ? [{ ...of("tools", "tools", `${request.tools.length} tools, defined`), text: pretty(request.tools) }]
    : [];
  let next = parts.some((part) => part.kind === "system") ? 1 : 0;
  const rest = parts.map((part, index): Bare => {
    if (part.kind === "system") {
      return {
        ...of("system", `system ${part.name}`, SYSTEM[part.name] ?? titleAt(part.name)),
        text: part.text,
      };
    }
    const sent = request.messages.slice(next, next + part.count);
    next += part.count;
    const text = sent.map(said).join("\n\n");
    if (part.kind === "summary") {
      const name = `A summary of ${part.hides.length} earlier messages`;
      return { ...of("summary", `summary ${part.hides[0]}`, name), text, hides: part.hides };
    }
    if (part.kind === "added") {
      return { ...of("added", `added ${index}`, "What else it was asked for"), text };
    }
    return { ...of("message", `message ${part.sequence}`, roles(sent)), text, event: part.sequence };
  });
  return [...tools, ...rest];
}

function of(kind: Part["kind"], key: string, name: string): Omit<Bare, "text"> {
  return { kind, key, name, event: null, hides: [] };
}

function roles(sent: readonly SentMessage[]): string {
  const [first] = sent;
  if (!first) return "A message";
  const calls = first.calls.length;
  const who = ROLES[first.role] ?? first.role;
  if (!calls) return who;
  return `${who}: ${calls === 1 ? "a call" : `${calls} calls`} and what came back`;
}

function said({ role, content, calls }: SentMessage): string {
  const text = content === null || content === undefined ? "" : pretty(content);
  const asked = calls.map((call) => `${call.name} ${call.arguments}`);
  return [`[${role}]`, text, ...asked].filter(Boolean).join("\n");
}

function cachedOf(from: number, to: number, cached: number): Cached {
  // Shares are rounded: half a token more or less is none.
  if (to <= cached + 0.5) return "cached";
  return from < cached - 0.5 ? "partly" : "new";
}

function sinceOf(before: string | undefined, now: string): Since {
  if (before === undefined) return "added";
  return before === now ? "same" : "changed";
}
