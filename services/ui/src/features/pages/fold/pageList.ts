/** Which pages an agent has: the fold of its component events over what was read. */
import type { EntityEvent } from "../../../lib/wire";

export interface PageEntry {
  name: string;
  description: string;
  version: number;
  /** The event that wrote this version. */
  sequence: number;
}

export interface PagesView {
  agentId: string;
  /** Whether all were read: before, only those are known that events told of. */
  loaded: boolean;
  pages: Readonly<Record<string, PageEntry>>;
  /** By name the newest event seen, deletions too: what was read may be older than what was heard. */
  seen: Readonly<Record<string, number>>;
}

export const noPages = (agentId: string): PagesView => ({ agentId, loaded: false, pages: {}, seen: {} });

/** Add what was read. What events said since stays. */
export function withPages(view: PagesView, read: readonly PageEntry[]): PagesView {
  const pages = { ...view.pages };
  for (const page of read) {
    if (page.sequence > (view.seen[page.name] ?? 0)) pages[page.name] = page;
  }
  return { ...view, loaded: true, pages };
}

/** One event further. */
export function evolve(view: PagesView, event: EntityEvent): PagesView {
  const { kind, name } = event.body;
  const old = event.sequence <= Math.max(view.seen[name] ?? 0, view.pages[name]?.sequence ?? 0);
  if (event.agent_id !== view.agentId || kind !== "component" || old) return view;
  const seen = { ...view.seen, [name]: event.sequence };
  const pages = { ...view.pages };
  delete pages[name];
  if (event.type === "foldline.agent.entity_written.v1") {
    const { value, version } = event.body;
    const description = (value as { description?: unknown } | null)?.description;
    pages[name] = { name, description: String(description ?? ""), version, sequence: event.sequence };
  }
  return { ...view, pages, seen };
}

/** The pages by name. */
export function listed(view: PagesView): PageEntry[] {
  return Object.values(view.pages).sort((one, other) => (one.name < other.name ? -1 : 1));
}
