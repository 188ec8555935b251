import { expect, test } from "vitest";
import { sharedBy } from "./sharing";

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
