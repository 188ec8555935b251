/** A policy as it is edited, and in words. */
import type { Policy, PolicyRule } from "../../../lib/wire";

export type Preset = Policy["preset"];
export type Verdict = PolicyRule["verdict"];
export type Match = PolicyRule["match"];
/** What a rule can say, as the gateway declares it. */
export type Condition = Policy["conditions"][number];

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

/** What to choose from; null: the condition is a text, in which `*` is anything. */
export function choicesOf({ type, options }: Condition): readonly (readonly [string, string])[] | null {
  if (type === "checkbox") return YES_OR_NO;
  return options?.map(({ value, label }) => [value, label] as const) ?? null;
}

const YES_OR_NO = [
  ["true", "yes"],
  ["false", "no"],
] as const;

/** What stands before the name of a condition that an extension adds. */
const ADDED = "added.";

/** The extension's name of a condition that it adds; null: it is one of Foldline's own. */
const addedName = (name: string): string | null => (name.startsWith(ADDED) ? name.slice(ADDED.length) : null);

/** What a rule says of a condition, as it is typed or chosen; null: nothing. */
export function saidOf(match: Match, { name }: Condition): string | null {
  const added = addedName(name);
  if (added !== null) return match.added?.find(({ condition }) => condition === added)?.value ?? null;
  const value = (match as Readonly<Record<string, unknown>>)[name];
  return value === null || value === undefined ? null : String(value);
}

/** A rule's conditions in one line. */
export function matchWords(match: Match, conditions: readonly Condition[]): string {
  const words = conditions.flatMap((one) => {
    const value = saidOf(match, one);
    const chosen = choicesOf(one)?.find(([choice]) => choice === value);
    return value === null ? [] : [`${one.label.toLowerCase()} ${chosen?.[1] ?? value}`];
  });
  return words.join(", ") || "everything else";
}

/** The rule with another value of a condition, as it was typed; without one, the condition is gone. */
export function withCondition(rule: PolicyRule, { name, type }: Condition, typed: string | null): PolicyRule {
  const added = addedName(name);
  if (added !== null) {
    const others = (rule.match.added ?? []).filter(({ condition }) => condition !== added);
    const now = typed === null ? others : [...others, { condition: added, value: typed }];
    return { ...rule, match: { ...rule.match, added: now } };
  }
  const { [name as keyof Match]: _before, ...rest } = rule.match;
  if (typed === null) return { ...rule, match: rest };
  return { ...rule, match: { ...rest, [name]: type === "checkbox" ? typed === "true" : typed } };
}

/** As it is sent: without conditions that say nothing. */
export function plain({ preset, rules }: Draft): { preset: Preset; rules: PolicyRule[] } {
  return {
    preset,
    rules: rules.map(({ verdict, match, note }) => ({
      verdict,
      match: Object.fromEntries(
        Object.entries(match).filter(
          ([, value]) => value !== "" && value !== null && !(Array.isArray(value) && value.length === 0),
        ),
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
