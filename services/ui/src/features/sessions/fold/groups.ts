/** The list as it is shown: newest first, under headings by day, children below their parents. */
import type { ListedSession } from "./view";

export interface SessionTree {
  session: ListedSession;
  children: readonly SessionTree[];
}

export interface DayGroup {
  label: string;
  trees: readonly SessionTree[];
}

const MONTH = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric" });

/** Group sessions by the day of their last activity, seen from `now`. */
export function grouped(sessions: readonly ListedSession[], now: Date): DayGroup[] {
  const groups: { label: string; trees: SessionTree[] }[] = [];
  for (const tree of trees(sessions)) {
    const label = dayLabel(new Date(activity(tree)), now);
    const last = groups.at(-1);
    if (last?.label === label) last.trees.push(tree);
    else groups.push({ label, trees: [tree] });
  }
  return groups;
}

/** Sessions as trees, the most recently active first. A child whose parent is not there stands alone. */
export function trees(sessions: readonly ListedSession[]): SessionTree[] {
  const children = byParent(sessions);
  const build = (parent: string): SessionTree[] =>
    (children.get(parent) ?? [])
      .map((session) => ({ session, children: build(session.id) }))
      .sort((one, other) => activity(other).localeCompare(activity(one)));
  return build("");
}

function byParent(sessions: readonly ListedSession[]): Map<string, ListedSession[]> {
  const present = new Set(sessions.map((session) => session.id));
  const children = new Map<string, ListedSession[]>();
  for (const session of sessions) {
    const parent = session.parent_id && present.has(session.parent_id) ? session.parent_id : "";
    children.set(parent, [...(children.get(parent) ?? []), session]);
  }
  return children;
}

/** The latest activity of a session and those below it. RFC 3339 in UTC sorts as text. */
function activity({ session, children }: SessionTree): string {
  return [session.active_at, ...children.map(activity)].sort().at(-1) ?? session.active_at;
}

function dayLabel(day: Date, now: Date): string {
  const days = Math.round((midnight(now) - midnight(day)) / 86_400_000);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days <= 7) return "Previous 7 days";
  if (days <= 30) return "Previous 30 days";
  return MONTH.format(day);
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
