/** A policy as it is edited, and in words. */
import type { Policy, PolicyRule } from "../../../lib/wire";

export type Preset = Policy["preset"];
export type Verdict = PolicyRule["verdict"];
export type Match = PolicyRule["match"];
export type Part = keyof Match;

/** What a person writes of it. */
export interface Draft {
  preset: Preset;
  rules: readonly PolicyRule[];
}

export const PRESETS: Readonly<Record<Preset, string>> = {
  cautious: "Asks before anything leaves this machine, even before reading a web page.",
  balanced:
    "Reads the web without asking. Asks before it sends something, runs a command, or acts on text from outside.",
  free: "Never asks. Only your own rules apply.",
};

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  allow: "Allow",
  ask: "Ask me",
  deny: "Never",
};

/** What a rule can speak of, as people read it. In texts `*` is anything. */
export const PARTS: Readonly<Record<Part, { label: string; hint?: string; choices?: readonly string[] }>> = {
  tool: { label: "Tool", hint: "fetch_url" },
  host: { label: "Host", hint: "*.example.com" },
  scheme: { label: "Scheme", hint: "https" },
  method: { label: "Method", hint: "POST" },
  path: { label: "Path", hint: "/v1/*" },
  server: { label: "Foreign server", hint: "github" },
  command: { label: "Command", hint: "git *" },
  family: { label: "Family of tools", hint: "web" },
  scope: { label: "Scope", hint: "agent" },
  sandbox: { label: "Sandbox", hint: "namespaces" },
  effect: { label: "Effect", choices: ["pure", "recorded", "external", "external_idempotent"] },
  after_outside: { label: "After text from outside", choices: ["true", "false"] },
  known_url: { label: "The URL appeared in the chat before", choices: ["true", "false"] },
  lasting: { label: "Lasts beyond the chat", choices: ["true", "false"] },
};
export const PART_NAMES = Object.keys(PARTS) as Part[];

const CHOICE_WORDS: Readonly<Record<string, string>> = {
  true: "yes",
  false: "no",
  pure: "only reads what the agent has",
  recorded: "changes what the agent has",
  external: "acts on the outside world",
  external_idempotent: "acts on the outside world, safe to repeat",
};

export const choiceWords = (choice: string): string => CHOICE_WORDS[choice] ?? choice;

/** The parts that a rule says, in their order. */
export function saidBy(match: Match): Part[] {
  return PART_NAMES.filter((part) => match[part] !== null && match[part] !== undefined);
}

/** A rule's condition in one line. */
export function matchWords(match: Match): string {
  const words = saidBy(match).map(
    (part) => `${PARTS[part].label.toLowerCase()} ${choiceWords(String(match[part]))}`,
  );
  return words.join(", ") || "everything else";
}

/** The rule with another value of a part, as it was typed; without one, the part is gone. */
export function withPart(rule: PolicyRule, part: Part, typed: string | null): PolicyRule {
  const { [part]: _before, ...rest } = rule.match;
  if (typed === null) return { ...rule, match: rest };
  const isFlag = part === "after_outside" || part === "known_url" || part === "lasting";
  return { ...rule, match: { ...rest, [part]: isFlag ? typed === "true" : typed } };
}

/** As it is sent: methods in capitals, hosts in small letters, and no part that says nothing. */
export function plain({ preset, rules }: Draft): { preset: Preset; rules: PolicyRule[] } {
  return {
    preset,
    rules: rules.map(({ verdict, match, note }) => ({
      verdict,
      match: Object.fromEntries(
        saidBy(match)
          .filter((part) => match[part] !== "")
          .map((part) => [part, tidied(part, match[part])]),
      ) as Match,
      note: note ?? "",
    })),
  };
}

/** Whether two drafts say the same. */
export const same = (one: Draft, other: Draft): boolean =>
  JSON.stringify(plain(one)) === JSON.stringify(plain(other));

/** The rules with one at another place. */
export function moved(rules: readonly PolicyRule[], from: number, to: number): PolicyRule[] {
  const rest = rules.filter((_, place) => place !== from);
  const one = rules[from];
  return one && to >= 0 && to <= rest.length ? [...rest.slice(0, to), one, ...rest.slice(to)] : [...rules];
}

function tidied(part: Part, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (part === "method") return value.trim().toUpperCase();
  return part === "host" ? value.trim().toLowerCase() : value;
}
