import { expect, test } from "vitest";
import { sectionOf, shelves, tabsOf } from "../features/studio/fold/shelves";
import { PATHS, partsOf, studioHref } from "../lib/route";
import { placeOf } from "./routes";

const shown = (href: string) => ({ path: placeOf(href).path, ...partsOf(PATHS.studio, href) });

/** Every tab of every kind whose things have some. */
const TABS = shelves().flatMap(({ kind }) =>
  kind && kind.page.form !== "room" ? tabsOf(kind).map((tab) => ({ section: sectionOf(kind), ...tab })) : [],
);

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

test.each(shelves())("the studio's $section have an address that opens them", ({ section }) => {
  expect(shown(studioHref("a1", section))).toMatchObject({ path: PATHS.studio, section });
});
