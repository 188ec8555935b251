/** The tabs of a thing in the studio: its texts, its versions, a test run. */
import { partsOf } from "./parts";
import { SECTIONS, type Section } from "./sections";

export interface ThingTab {
  /** As the address names it; undefined: the main part, whose address is the thing's own. */
  view: string | undefined;
  title: string;
}

/** The tabs of a thing of this section, the main part first; of a deleted one its versions alone. */
export function tabsOf(section: Section, exists = true): ThingTab[] {
  const versions = { view: "versions", title: "Versions" };
  if (!exists) return [versions];
  const texts = partsOf(section, undefined).filter(({ language }) => language !== "line");
  return [
    ...texts.map(({ id, label }, at) => ({ view: at === 0 ? undefined : id, title: label })),
    versions,
    ...(isRunnable(section) ? [{ view: "try", title: "Test run" }] : []),
  ];
}

/** Whether things of this section can be run by a person. */
export function isRunnable(section: Section): section is "tools" | "functions" {
  return section === "tools" || section === "functions";
}

/** Every tab of every section whose things have some. */
export const TABS: readonly (ThingTab & { section: Section })[] = SECTIONS.filter(
  (section) => section !== "secrets",
).flatMap((section) => tabsOf(section).map((tab) => ({ section, ...tab })));
