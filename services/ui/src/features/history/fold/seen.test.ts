import { expect, test } from "vitest";
import type { SeenCall } from "../../../lib/seenCall";
import { budgetOf, goneSince, partsOf } from "./seen";

const call = (change: Partial<SeenCall> = {}): SeenCall => ({
  callId: "m1",
  number: 2,
  requestedSequence: 9,
  requestedAt: "",
  error: null,
  tried: [],
  request: {
    model: "demo",
    tools: [],
    messages: [
      { role: "system", content: "PPPP\n\nNNNN", calls: [] },
      { role: "user", content: "[S]", calls: [] },
      { role: "user", content: "hello", calls: [] },
      { role: "assistant", content: null, calls: [{ id: "c", name: "look", arguments: "{}" }] },
      { role: "tool", content: "seen", calls: [] },
    ],
  },
  parts: [
    { kind: "system", name: "prompt", text: "PPPP" },
    { kind: "system", name: "notes", text: "NNNN" },
    { kind: "summary", hides: [1, 2], count: 1 },
    { kind: "message", sequence: 5, count: 1 },
    { kind: "message", sequence: 7, count: 2 },
  ],
  answer: { text: "", tools: [], latencyMs: 1, usage: { input: 100, output: 1, cached: 10 } },
  ...change,
});

test("each part has its exact text, its event, and what it stands for", () => {
  const parts = partsOf(call(), null);
  expect(parts.map(({ kind, event, hides }) => [kind, event, hides.length])).toEqual([
    ["system", null, 0],
    ["system", null, 0],
    ["summary", null, 2],
    ["message", 5, 0],
    ["message", 7, 0],
  ]);
  expect(parts[3]?.text).toBe("[user]\nhello");
  expect(parts[4]?.text).toBe("[assistant]\nlook {}\n\n[tool]\nseen");
  expect(parts[4]?.name).toBe("The agent: a call and what came back");
});

test("tokens add up to the provider's count, and the beginning is what was cached", () => {
  const parts = partsOf(call(), null);
  const sum = parts.reduce((told, part) => told + part.tokens, 0);
  expect(Math.abs(sum - 100)).toBeLessThanOrEqual(parts.length);
  expect(parts.map(({ cached }) => cached)).toEqual(["cached", "partly", "new", "new", "new"]);
  expect(partsOf(call({ answer: null }), null)[0]?.cached).toBeNull();
});

test("against the call before, parts are the same, changed or new", () => {
  const before = call({
    parts: [
      { kind: "system", name: "prompt", text: "old" },
      { kind: "system", name: "notepad", text: "gone" },
      { kind: "message", sequence: 4, count: 1 },
      { kind: "message", sequence: 5, count: 1 },
    ],
  });
  const parts = partsOf(call(), before);
  expect(parts.map(({ since }) => since)).toEqual(["changed", "added", "added", "same", "added"]);
  expect(parts[0]?.before).toBe("old");
  expect(goneSince(call(), before).map(({ name }) => name)).toEqual(["This session's notepad", "You"]);
});

test("a call that was never sent has no parts", () => {
  expect(partsOf(call({ request: null, parts: [] }), null)).toEqual([]);
});

test("the budget says what the tokens went to, in the order in which it was sent", () => {
  const parts = partsOf(call(), null);
  const budget = budgetOf(parts);
  expect(budget.map(({ purse, parts: own }) => [purse, own])).toEqual([
    ["prompt", 1],
    ["agent", 1],
    ["summaries", 1],
    ["conversation", 2],
  ]);
  const told = budget.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(told).toBe(parts.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(budget.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  expect(budgetOf([])).toEqual([]);
});
