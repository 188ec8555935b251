import { expect, test } from "vitest";
import { closed, hidden, sharedBy } from "./sharing";

const OFF = { content: "x", agentRead: false, agentWrite: false };
const tab = "shared-notes/Todo";

test("what a page turns on is told, what it turns off or writes is not", () => {
  expect(sharedBy(tab, OFF, { ...OFF, agentRead: true })).toEqual({ tab: "Todo", may: "read" });
  expect(sharedBy(tab, OFF, { agentRead: true, agentWrite: true })?.may).toBe("read and write");
  expect(sharedBy(tab, { ...OFF, agentWrite: true }, OFF)).toBeNull();
  expect(sharedBy(tab, { ...OFF, agentRead: true }, { content: "y", agentRead: true })).toBeNull();
  expect(sharedBy(tab, null, { agentRead: true })?.may).toBe("read");
  expect(sharedBy(tab, OFF, "agentRead")).toBeNull();
  expect(sharedBy(tab, OFF, { agentRead: "true" })).toBeNull();
});

test("another key of the state is none of it", () => {
  expect(sharedBy("shared-notes", [], { agentRead: true })).toBeNull();
  expect(sharedBy("plants", null, { agentWrite: true })).toBeNull();
});

test.each([
  ["shared-notes/Todo", { ...OFF, agentRead: true }, false],
  ["shared-notes/Todo", OFF, true],
  ["shared-notes/Todo", { agentRead: "true" }, true],
  ["shared-notes/Todo", undefined, true],
  ["shared-notes", ["Todo"], false],
  ["plants", OFF, false],
])("a page of the agent reads of %s %j only what the agent may read", (key, value, isHidden) => {
  expect(hidden(key, value) !== null).toBe(isHidden);
});

test.each([
  ["shared-notes/Todo", { ...OFF, agentWrite: true }, null],
  ["shared-notes/Todo", OFF, "The agent may not write"],
  ["shared-notes/Todo", undefined, "Only people make and remove tabs"],
  ["shared-notes", ["Todo"], "Only people make and remove tabs"],
  ["shared-notes", { agentWrite: true }, "Only people make and remove tabs"],
  ["shared-notes-2", OFF, null],
  ["plants", undefined, null],
])("a page of the agent writes over %s %j only where the agent may", (key, before, why) => {
  if (why === null) expect(closed(key, before)).toBeNull();
  else expect(closed(key, before)).toContain(why);
});
