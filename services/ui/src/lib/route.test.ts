import { expect, test } from "vitest";
import { chatHref, historyHref, NEW_CHAT, PATHS, pageHref, partsOf, studioHref } from "./route";

/** The patterns that an address fits, with its parts. */
function fits(hash: string) {
  const found = Object.entries(PATHS).map(([name, path]) => [name, partsOf(path, hash)] as const);
  return Object.fromEntries(found.filter(([, parts]) => parts));
}

test("a chat's address leads back to it", () => {
  expect(fits(chatHref("s_01jd3"))).toEqual({ chat: { sessionId: "s_01jd3" } });
});

test("a history's address leads back to it, with the event or without", () => {
  expect(fits(historyHref("s_1"))).toEqual({ history: { sessionId: "s_1", at: null } });
  expect(fits(historyHref("s_1", 42))).toEqual({ history: { sessionId: "s_1", at: "42" } });
});

test("an address in the studio leads back to it, whatever the name", () => {
  const nothing = { agentId: "a1", section: null, name: null, view: null };
  expect(fits(studioHref("a1"))).toEqual({ studio: nothing });
  expect(fits(studioHref("a1", "tools"))).toEqual({ studio: { ...nothing, section: "tools" } });
  for (const name of ["one", "a/b c", "?#%", "日本", "..", "%2F", "\n"]) {
    expect(fits(studioHref("a1", "state", name, "versions"))).toEqual({
      studio: { agentId: "a1", section: "state", name, view: "versions" },
    });
  }
});

test("a page's address leads back to it, beside a chat or alone", () => {
  const named = { agentId: "default", page: "My page-1" };
  expect(fits(pageHref("default", "My page-1", "s_1"))).toEqual({
    pageBeside: { ...named, sessionId: "s_1" },
  });
  expect(fits(pageHref("default", "My page-1", null))).toEqual({ page: named });
});

test("the new chat has an address, which is that of nothing at all too", () => {
  for (const hash of [NEW_CHAT, "", "#", "#/"]) expect(fits(hash)).toEqual({ new: {} });
});

test("anything else is no page's address", () => {
  for (const hash of [
    "#/s/",
    "#/s/a.>",
    "#/s/a/b",
    "#/s/a/",
    "#/s/a/history/0",
    "#/s/a/history/x",
    "#/s/a/history/1/2",
    "#/studio",
    "#/studio/a/state/%ff",
    "#/studio/a.>/tools",
    "#/studio/a//x",
    "#/pages/default",
    "#/pages/default/%",
    "#/pages/a.b/c",
    `#/s/${"x".repeat(65)}`,
  ]) {
    expect(fits(hash)).toEqual({});
  }
});
