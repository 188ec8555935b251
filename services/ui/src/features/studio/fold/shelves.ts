/** The pages of the studio, in their order: those of the agent's kinds of things, and rooms about what it did. */
import type { Group, Kind, KindPage } from "../../../lib/kind";
import { inOrder, kindNamed } from "../../../lib/kinds";
import { listsInOrder } from "./lists";
import { partsOf } from "./parts";

/** A kind with a page of its own. */
export type PagedKind = Kind & { page: KindPage };

/** A page of the studio; `kind` is null for what is about no kind. */
export interface Shelf {
  section: string;
  title: string;
  /** Stands above the first of its group. */
  head: string;
  kind: PagedKind | null;
  /** What else it is found by. */
  also: readonly string[];
}

const HEADS: Record<Group, string> = {
  made: "What it made",
  kept: "What it keeps",
  works: "How it works",
};
const DID = "What it did";
const ALL = "This Foldline";

const room = (section: string, title: string, head: string, also: readonly string[] = []): Shelf => ({
  section,
  title,
  head,
  kind: null,
  also,
});
const PACKS = room("packs", "Packs", HEADS.works, ["extensions", "plugins", "tools"]);
const CHANGES = room("changes", "What changed", DID);
const ROOMS: readonly Shelf[] = [
  room("outcomes", "Unknown outcomes", DID),
  room("agents", "Agents", ALL),
  room("letters", "Dead letters", ALL),
  room("runners", "Runners", ALL),
];

export const isPaged = (kind: Kind): kind is PagedKind => kind.page !== undefined;
export const sectionOf = ({ page }: PagedKind): string => page.section ?? page.path;

/** All pages. */
export function shelves(): Shelf[] {
  const ofKinds = inOrder("made", "kept", "works")
    .filter(isPaged)
    .map((kind) => ({
      ...{ section: sectionOf(kind), title: kind.title, kind },
      head: HEADS[kind.group ?? "made"],
      also: kind.page.also ?? [],
    }));
  const at = ofKinds.findIndex(({ section }) => section === "policy") + 1;
  const lists = listsInOrder().map(({ name, title }) => room(name, title, DID));
  return [...ofKinds.slice(0, at), PACKS, ...ofKinds.slice(at), CHANGES, ...lists, ...ROOMS];
}

/** The page of this name; the first one for any other. */
export function shelfNamed(name: string | null): Shelf {
  const all = shelves();
  return all.find(({ section }) => section === name) ?? (all[0] as Shelf);
}

/** The kinds whose things the studio lists by name. */
export const listedKinds = (): PagedKind[] =>
  inOrder("made", "kept", "works")
    .filter(isPaged)
    .filter(({ page }) => page.listed);

export interface ThingTab {
  /** As the address names it; undefined: the main part, whose address is the thing's own. */
  view: string | undefined;
  title: string;
}

/** The tabs of a thing of this kind, the main part first; of a deleted one its versions alone. */
export function tabsOf(kind: PagedKind, exists = true): ThingTab[] {
  const versions = { view: "versions", title: "Versions" };
  if (!exists) return [versions];
  const texts = partsOf(kind, undefined).filter(({ language }) => language !== "line");
  return [
    ...texts.map(({ id, label }, at) => ({ view: at === 0 ? undefined : id, title: label })),
    versions,
    ...(kind.page.runnable ? [{ view: "try", title: "Test run" }] : []),
  ];
}

/** A kind that has a page. */
export function pagedKind(name: string): PagedKind {
  const kind = kindNamed(name);
  if (!kind || !isPaged(kind)) throw new Error(`The studio has no page of ${name}`);
  return kind;
}
