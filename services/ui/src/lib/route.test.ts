import { expect, test } from "vitest";
import { chatHref, historyHref, parseRoute } from "./route";

test("a chat's address leads back to it", () => {
  expect(parseRoute(chatHref("s_01jd3"))).toEqual({ page: "chat", sessionId: "s_01jd3" });
});

test("a history's address leads back to it, with the event or without", () => {
  expect(parseRoute(historyHref("s_1"))).toEqual({ page: "history", sessionId: "s_1", at: null });
  expect(parseRoute(historyHref("s_1", 42))).toEqual({ page: "history", sessionId: "s_1", at: 42 });
});

test("anything else is the new chat", () => {
  for (const hash of [
    "",
    "#/",
    "#/s/",
    "#/s/a.>",
    "#/s/a/b",
    "#/s/a/history/0",
    "#/s/a/history/x",
    `#/s/${"x".repeat(65)}`,
  ]) {
    expect(parseRoute(hash)).toEqual({ page: "new" });
  }
});
