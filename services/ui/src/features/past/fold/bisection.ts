/** What a person asks a bisection, and how far it is. */
import type { BisectCost, BisectionShown } from "../../../lib/wire";
import { count } from "../../../lib/words";

export interface Wishes {
  way: "ask" | "function";
  ask: string;
  expect: string;
  expectNot: string;
  regex: boolean;
  name: string;
  good: string;
  bad: string;
}

export interface BisectBody {
  ask?: string;
  expect?: string;
  expect_not?: string;
  regex: boolean;
  function?: string;
  good?: number;
  bad?: number;
  arguments: Record<string, never>;
  token_limit: number;
}

/** Tokens that one run of the check may use. */
const TOKENS_A_RUN = 100_000;

export const NOTHING: Wishes = {
  ...{ way: "ask", ask: "", expect: "", expectNot: "", regex: false, name: "", good: "", bad: "" },
};

export type Problems = Partial<Record<keyof Wishes, string>>;

const NO_EVENT = "An event's number, such as 120. It stands in the history beside the event.";

/** What is missing or wrong, by its field; empty where it can be asked. */
export function problemsOf(wishes: Wishes): Problems {
  const { way, ask, expect, expectNot, name } = wishes;
  const [good, bad] = [eventOf(wishes.good), eventOf(wishes.bad)];
  const problems: Problems = {};
  if (way === "function" && !name.trim()) problems.name = "Name the function that tells.";
  if (way === "ask" && !ask.trim()) problems.ask = "Write the message to ask it.";
  if (way === "ask" && !expect && !expectNot)
    problems.expect = "Say what the answer contains, or what it does not contain.";
  if (good === null) problems.good = NO_EVENT;
  if (bad === null) problems.bad = NO_EVENT;
  else if (good && bad && good >= bad) problems.bad = `It must come after event ${good}, when it worked.`;
  return problems;
}

/** What to ask for; null as long as something is missing. */
export function bodyOf(wishes: Wishes): BisectBody | null {
  const [good, bad] = [eventOf(wishes.good), eventOf(wishes.bad)];
  if (good === null || bad === null || Object.keys(problemsOf(wishes)).length > 0) return null;
  const range = { ...(good && { good }), ...(bad && { bad }) };
  const always = { arguments: {}, token_limit: TOKENS_A_RUN, ...range };
  if (wishes.way === "function") {
    return { function: wishes.name.trim(), regex: false, ...always };
  }
  const { expect, expectNot, regex } = wishes;
  return {
    ask: wishes.ask.trim(),
    regex,
    ...(expect && { expect }),
    ...(expectNot && { expect_not: expectNot }),
    ...always,
  };
}

/** An event's number; 0: none is given; null: it isn't one. */
function eventOf(text: string): number | null {
  if (!text.trim()) return 0;
  return /^[1-9]\d{0,14}$/.test(text.trim()) ? Number(text.trim()) : null;
}

export const isAtWork = (found: BisectionShown | null): boolean =>
  found !== null && (found.status === "running" || found.status === "stopping");

/** What it would cost, in words. */
export function costWords(cost: BisectCost): string[] {
  const said = [
    `${count(cost.events)} events of the agent: at most ${cost.probes} probes, ${cost.least_runs} to ${cost.most_runs} runs of the check.`,
  ];
  if (cost.tokens === null) said.push("How many tokens a run takes is not known yet.");
  else {
    const money = cost.cost_micros === null ? "" : `, about $${(cost.cost_micros / 1_000_000).toFixed(2)}`;
    said.push(`As this agent's turns went lately: up to ${count(cost.tokens)} tokens${money}.`);
  }
  said.push(`Never more than ${count(cost.most_tokens)} tokens.`);
  return said;
}

/** How many probes are decided. */
export const decided = (found: BisectionShown): number =>
  found.probes.filter((probe) => probe.holds !== null).length;

/** Outcome, in words; nothing where an event was found. */
export function outcomeWords(found: BisectionShown): string | null {
  if (found.spoilt_by) return null;
  if (found.status === "stopped") return "It was stopped. What it had found out is below.";
  return found.reason;
}
