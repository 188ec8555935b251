import { expect, test } from "vitest";
import type { AgentRewindPreview, RewindableThing } from "../../../lib/wire";
import { agentRewindBody, goingOf, keptAtFirst, othersWords, toggledKind, toggledThing } from "./agentRewind";

const thing = (name: string, more: Partial<RewindableThing> = {}): RewindableThing => ({
  ...{ name, label: name, since: "changed", newest: "20", writes: 1 },
  ...{ sessions: ["s_1"], by_people: false, time_passed: false, ...more },
});
const PREVIEW: AgentRewindPreview = {
  ...{ to: 9, log_sequence: 30, database_writes: [], database_inexact: null, used_by: [] },
  kinds: [
    { kind: "state", count: 2, things: [thing("a"), thing("b")] },
    { kind: "tool", count: 1, things: [thing("t")] },
  ],
};
const EVERYTHING = { agentId: "default", to: 9 };

test("everything goes back at first, and is asked for as that", () => {
  expect(agentRewindBody(PREVIEW, keptAtFirst(PREVIEW, EVERYTHING))).toEqual({ to: 9 });
});

test("kinds and single things can be left out", () => {
  const kept = toggledThing(new Set(), "state", "b");
  expect(agentRewindBody(PREVIEW, kept)).toEqual({
    to: 9,
    chosen: [{ kind: "state", names: ["a"] }, { kind: "tool" }],
  });
  const [state, tool] = PREVIEW.kinds as [AgentRewindPreview["kinds"][0], AgentRewindPreview["kinds"][0]];
  const none = toggledKind(toggledKind(kept, state), tool);
  expect([goingOf(none, state), agentRewindBody(PREVIEW, none)]).toEqual([0, null]);
  expect(agentRewindBody(PREVIEW, toggledKind(none, tool))).toEqual({ to: 9, chosen: [{ kind: "tool" }] });
});

test("one thing can be meant alone, and an undoing means what was done", () => {
  const only = keptAtFirst(PREVIEW, { ...EVERYTHING, only: { kind: "state", name: "b" } });
  expect(agentRewindBody(PREVIEW, only)).toEqual({ to: 9, chosen: [{ kind: "state", names: ["b"] }] });
  const undone = keptAtFirst(PREVIEW, { ...EVERYTHING, undoes: { kinds: ["tool"] } });
  expect(agentRewindBody(PREVIEW, undone)).toEqual({ to: 9, chosen: [{ kind: "tool" }] });
});

test("what others changed is said, from the chat that one looks from", () => {
  expect(othersWords(thing("a"), "s_1")).toBeNull();
  expect(othersWords(thing("a", { sessions: ["s_1", "s_2"] }), "s_1")).toMatch("Another chat");
  expect(othersWords(thing("a", { by_people: true }), "s_1")).toMatch("A person");
  expect(othersWords(thing("a", { sessions: ["s_2"] }), undefined)).toBeNull();
});
