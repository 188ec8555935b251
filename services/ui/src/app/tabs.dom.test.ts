import { expect, test } from "vitest";
import { ROOMS, SHELVES } from "../features/studio/fold/sections";
import { TABS } from "../features/studio/fold/tabs";
import { PATHS, partsOf, studioHref } from "../lib/route";
import { placeOf } from "./routes";

const shown = (href: string) => ({ path: placeOf(href).path, ...partsOf(PATHS.studio, href) });

test.each(TABS)("the tab $title of $section has an address that opens it", ({ section, view }) => {
  const href = studioHref("a1", section, "a/b c", view);
  expect(shown(href)).toEqual({
    path: PATHS.studio,
    agentId: "a1",
    section,
    name: "a/b c",
    view: view ?? null,
  });
});

test.each(SHELVES)("the studio's %s have an address that opens them", (section) => {
  expect(shown(studioHref("a1", section))).toMatchObject({ path: PATHS.studio, section });
});

test("every room is among the shelves", () => {
  expect(SHELVES).toEqual(expect.arrayContaining(Object.keys(ROOMS)));
});
