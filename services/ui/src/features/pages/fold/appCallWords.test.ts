import { expect, test } from "vitest";
import type { CallOfApp } from "../../../lib/wire";
import { howItEnded, isInHand, judgedWords, nameThere } from "./appCallWords";

const BEGUN = "2026-01-31T12:00:00.000Z";
const now = Date.parse(BEGUN) + 60_000;

function call(more: Partial<CallOfApp>): CallOfApp {
  const ended = { requested_at: BEGUN, finished_at: BEGUN, result: null, error: null };
  const judged = { verdict: "allow", rule: "Rule 1", approved: false } as const;
  return { call_id: "a_1", tool: "apps__keep", arguments: "{}", address: "3", ...ended, ...judged, ...more };
}

test.each([
  [null, "gave its result"],
  ["approval_needed", "was not sent: it needed your yes"],
  ["refused", "was not sent: the policy doesn't allow it"],
  ["cancelled", "was stopped before it was sent"],
  ["outcome_unknown", "may have run, or not: nobody knows"],
  ["upstream", "failed"],
])("an ending (%s) is said in words", (kind, words) => {
  const error = kind === null ? null : { kind, message: "why", path: null, retryable: false };
  expect(howItEnded(call({ error }), now)).toBe(words);
});

test("a call without an end is in hand for as long as a call can be", () => {
  const open = call({ finished_at: null });
  expect(isInHand(open, now)).toBe(true);
  expect(howItEnded(open, now)).toBe("has no answer yet");
  expect(howItEnded(open, now + 3_600_000)).toBe("may have run, or not: nobody knows");
  expect(isInHand(call({}), now)).toBe(false);
});

test("what the policy said is told with what the person did", () => {
  expect(judgedWords(call({ verdict: "ask" }))).toBe("Asked: Rule 1");
  expect(judgedWords(call({ verdict: "ask", approved: true }))).toBe("You allowed it once (Rule 1)");
  expect(judgedWords(call({ verdict: "deny" }))).toBe("Denied: Rule 1");
});

test("a tool is called as its server calls it", () => {
  expect(nameThere("apps__keep")).toBe("keep");
  expect(nameThere("my_apps__keep__all")).toBe("keep__all");
  expect(nameThere("read_mcp_resource")).toBe("read_mcp_resource");
});
