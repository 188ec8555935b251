import { expect, test } from "vitest";
import type { AgentMoment, Message } from "../../../lib/wire";
import { transcript } from "./markdown";
import { differenceWords, different, differs, kindsOf, tabsOf } from "./moment";

const thing = (name: string, since: "changed" | "added" | "removed" | null) => ({
  name,
  label: name,
  address: "3",
  since,
});
const MOMENT: AgentMoment = {
  address: "9",
  kinds: [
    { kind: "notes", count: 1, changes: 1, things: [thing("notes", "changed")] },
    { kind: "notepad", count: 0, changes: 1, things: [thing("s_1", "added")] },
    { kind: "tool", count: 2, changes: 1, things: [thing("old", "removed"), thing("new", null)] },
  ],
};

test("each kind has a tab with its count and what differs; both notes share one", () => {
  const tabs = new Map(tabsOf(MOMENT).map((tab) => [tab.id, tab]));
  expect(tabs.get("tool")).toMatchObject({ words: "Tools", count: 2, removed: 1 });
  expect(tabs.get("notes")).toMatchObject({ count: null, changed: 1, added: 1 });
  expect(tabs.get("tool") && differenceWords(tabs.get("tool") as never)).toBe("1 removed since");
  expect(tabsOf(null).map(differs)).toEqual(tabsOf(null).map(() => 0));
  expect(kindsOf(MOMENT, "notes").map(({ kind }) => kind)).toEqual(["notes", "notepad"]);
});

test("what is different now is told by its kinds, and of a database only that it was written to", () => {
  const database = (changes: number) => ({ kind: "database", count: 1, changes, things: [] });
  const now = (changes: number) => different({ ...MOMENT, kinds: [...MOMENT.kinds, database(changes)] });
  expect(now(1).map(({ words }) => words)).toEqual(["Notes", "Tools", "Database"]);
  expect(now(0).map(({ words }) => words)).toEqual(["Notes", "Tools"]);
  expect(different(null)).toEqual([]);
});

test("a transcript has what was said and each call, and no text can break out of its fence", () => {
  const message = (role: string, text: string, change = {}) =>
    ({ role, text, hidden_by: null, tool_calls: [], ...change }) as unknown as Message;
  const call = {
    tool: "web_read",
    arguments: { url: "https://a.org/<b>" },
    result: "```\n# no",
    error: null,
  };
  const text = transcript("Tea", [
    message("user", "Hello"),
    message("user", "undone", { hidden_by: "9" }),
    message("assistant", "", { tool_calls: [call] }),
  ]);
  expect(text).toContain("# Tea\n\n## You\n\nHello\n\n## Agent");
  expect(text).toContain("<summary>Read the page a.org/&lt;b></summary>");
  expect(text).toContain("````\n```\n# no\n````");
  expect(text).not.toContain("undone");
});
