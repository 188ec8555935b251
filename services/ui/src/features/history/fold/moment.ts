/** What is shown as of an event: the chat, and each kind of things that the agent had. */

import { inMoments, kindNamed } from "../../../lib/kinds";
import type { AgentMoment, KindThen, ThingThen } from "../../../lib/wire";

export interface Tab {
  id: string;
  words: string;
  /** How many there were; null where there is only one. */
  count: number | null;
  added: number;
  changed: number;
  removed: number;
}

/** The tabs in their order; before anything was read, without counts. */
export function tabsOf(moment: AgentMoment | null): Tab[] {
  const chat = { kind: "chat", title: "Chat", only: "chat" };
  return [chat, ...inMoments()].map(({ kind: id, title: words, only }) => {
    const things = kindsOf(moment, id).flatMap((kind) => kind.things);
    const of = (since: ThingThen["since"]) => things.filter((thing) => thing.since === since).length;
    return {
      id,
      words,
      count: only ? null : kindsOf(moment, id).reduce((sum, kind) => sum + kind.count, 0),
      added: of("added"),
      changed: of("changed"),
      removed: of("removed"),
    };
  });
}

/** What a tab shows, by kind: what the agent and the chat noted is on one. */
export function kindsOf(moment: AgentMoment | null, tab: string): KindThen[] {
  return (moment?.kinds ?? []).filter(({ kind }) => kind === tab || kindNamed(kind)?.tab === tab);
}

/** How a tab differs from now, for those who don't see its signs; empty where it doesn't. */
export function differenceWords({ added, changed, removed }: Tab): string {
  const said = [
    changed && `${changed} changed since`,
    added && `${added} added since`,
    removed && `${removed} removed since`,
  ].filter(Boolean);
  return said.join(", ");
}

/** How many things differ from how they are now. */
export const differs = ({ added, changed, removed }: Tab): number => added + changed + removed;

/** The tabs in which something is different now. */
export function different(moment: AgentMoment | null): Tab[] {
  const written = kindsOf(moment, "database").some(({ changes }) => changes > 0);
  return tabsOf(moment).filter((tab) => differs(tab) > 0 || (tab.id === "database" && written));
}
