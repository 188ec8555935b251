import { expect, test } from "vitest";
import type { AgentChange, RewindPreview } from "../../../lib/wire";
import { changeKey, DATABASE, EVERYTHING, fate, goesBack, nameOf, requestFor, textOf, toggled } from "./plan";

const version = (value: unknown) => ({ value, version: 1, sequence: 5, written_at: "2025-01-06T12:00:05Z" });
const change = (name: string, touched_by_others = false): AgentChange => ({
  kind: "state",
  name,
  before: version("blue"),
  now: version("red"),
  touched_by_others,
  time_passed: false,
});
const preview = (...agent: AgentChange[]): RewindPreview => ({
  to: "9",
  target_sequence: 8,
  hidden: [],
  files: [],
  shown_again: [],
  agent,
  database: null,
  log_sequence: 20,
});

test("everything goes back at first, but for what others changed too", () => {
  const [mine, shared] = [change("mine"), change("shared", true)];
  expect([mine, shared].map((one) => goesBack(EVERYTHING, one))).toEqual([true, false]);
  expect(requestFor(EVERYTHING, preview(mine, shared))).toEqual({
    to: "9",
    parts: ["conversation", "agent"],
    including: [],
  });
});

test("what others changed goes back once it is chosen, and stays when it is chosen no more", () => {
  const shared = change("shared", true);
  const chosen = toggled(EVERYTHING, changeKey(shared));
  expect(requestFor(chosen, preview(shared))?.including).toEqual([{ kind: "state", names: ["shared"] }]);
  expect(toggled(chosen, changeKey(shared))).toEqual(EVERYTHING);
});

test("a part that would change nothing is not asked for", () => {
  expect(requestFor(EVERYTHING, preview())?.parts).toEqual(["conversation"]);
  expect(requestFor({ ...EVERYTHING, conversation: false }, preview(change("shared", true)))).toBeNull();
  expect(requestFor({ ...EVERYTHING, conversation: false }, preview(change("mine")))?.parts).toEqual([
    "agent",
  ]);
});

test("the database goes back as a whole: where others wrote to it too, only once that is chosen", () => {
  const mine = { ...preview(), database: { writes: 3, by_others: 0, latest: [], inexact: null } };
  const shared = { ...preview(), database: { writes: 3, by_others: 1, latest: [], inexact: null } };
  expect(requestFor(EVERYTHING, mine)).toMatchObject({
    parts: ["conversation", "database"],
    including: [],
  });
  expect(requestFor(EVERYTHING, shared)?.parts).toEqual(["conversation"]);
  expect(requestFor(toggled(EVERYTHING, DATABASE), shared)).toMatchObject({
    parts: ["conversation", "database"],
    including: [{ kind: "database" }],
  });
});

test("things have names and fates for people", () => {
  expect(nameOf(change("colour"))).toBe("Stored value colour");
  expect(nameOf({ kind: "prompt", name: "system" })).toBe("System prompt");
  const task = { kind: "schedule", name: "t_1", before: version({ name: "News", task: "…" }), now: null };
  expect(nameOf(task)).toBe("Scheduled task News");
  expect(nameOf({ kind: "reminder", name: "r_1" })).toBe("Reminder r_1");
  expect(fate({ ...change("new"), before: null })).toBe("removed");
  expect(fate({ ...change("gone"), now: null })).toBe("restored");
  expect(fate(change("other"))).toBe("changed back");
  expect([textOf(null), textOf(version({ a: 1 }))]).toEqual(["", '{\n  "a": 1\n}']);
});
