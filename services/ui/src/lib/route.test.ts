import { expect, test } from "vitest";
import { chatHref, historyHref, pageHref, parseRoute, studioHref } from "./route";

test("a chat's address leads back to it", () => {
  expect(parseRoute(chatHref("s_01jd3"))).toEqual({ page: "chat", sessionId: "s_01jd3" });
});

test("a history's address leads back to it, with the event or without", () => {
  expect(parseRoute(historyHref("s_1"))).toEqual({ page: "history", sessionId: "s_1", at: null });
  expect(parseRoute(historyHref("s_1", 42))).toEqual({ page: "history", sessionId: "s_1", at: 42 });
});

test("an address in the studio leads back to it, whatever the name", () => {
  const nothing = { page: "studio", agentId: "a1", section: null, name: null, view: null };
  expect(parseRoute(studioHref("a1"))).toEqual(nothing);
  expect(parseRoute(studioHref("a1", "tools"))).toEqual({ ...nothing, section: "tools" });
  for (const name of ["one", "a/b c", "?#%", "日本", "..", "%2F"]) {
    expect(parseRoute(studioHref("a1", "state", name, "versions"))).toEqual({
      ...nothing,
      section: "state",
      name,
      view: "versions",
    });
  }
});

test("a page's address leads back to it, beside a chat or alone", () => {
  const named = { page: "page", agentId: "default", name: "My page-1" };
  expect(parseRoute(pageHref("default", "My page-1", "s_1"))).toEqual({ ...named, sessionId: "s_1" });
  expect(parseRoute(pageHref("default", "My page-1", null))).toEqual({ ...named, sessionId: null });
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
    "#/studio",
    "#/studio/a/state/%ff",
    "#/studio/a.>/tools",
    "#/pages/default",
    "#/pages/default/%",
    "#/pages/a.b/c",
    `#/s/${"x".repeat(65)}`,
  ]) {
    expect(parseRoute(hash)).toEqual({ page: "new" });
  }
});
