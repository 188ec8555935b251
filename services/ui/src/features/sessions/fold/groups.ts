/** The list as it is shown: newest first, under headings by day, children below their parents. */
import type { Session } from "../../../lib/wire";

export interface SessionTree {
  session: Session;
  children: readonly SessionTree[];
}

export interface DayGroup {
  label: string;
  trees: readonly SessionTree[];
}

export const PINNED = "Pinned";
export const ARCHIVED = "Archived";

const MONTH = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric" });

/** Group sessions by the day of their last activity, seen from `now`: those that are pinned first, archived ones last. */
export function grouped(sessions: readonly Session[], now: Date): DayGroup[] {
  const groups: { label: string; trees: SessionTree[] }[] = [];
  const pinned: SessionTree[] = [];
  const archived: SessionTree[] = [];
  for (const tree of trees(sessions)) {
    if (tree.session.pinned) pinned.push(tree);
    else if (isArchived(tree.session)) archived.push(tree);
    else {
      const label = dayLabel(new Date(activity(tree)), now);
      const last = groups.at(-1);
      if (last?.label === label) last.trees.push(tree);
      else groups.push({ label, trees: [tree] });
    }
  }
  return [
    ...(pinned.length ? [{ label: PINNED, trees: pinned }] : []),
    ...groups,
    ...(archived.length ? [{ label: ARCHIVED, trees: archived }] : []),
  ];
}

/** True for a chat that its person closed. A sub-session that is done stands with its parent. */
export function isArchived({ status, parent_id }: Session): boolean {
  return status === "completed" && parent_id === null;
}

/** Sessions as trees, the most recently active first. A child, or a fork, whose parent is not there stands alone. */
export function trees(sessions: readonly Session[]): SessionTree[] {
  const children = byParent(sessions);
  const build = (parent: string): SessionTree[] =>
    (children.get(parent) ?? [])
      .map((session) => ({ session, children: build(session.id) }))
      .sort((one, other) => activity(other).localeCompare(activity(one)));
  return build("");
}

function byParent(sessions: readonly Session[]): Map<string, Session[]> {
  const present = new Map(sessions.map((session) => [session.id, session]));
  const children = new Map<string, Session[]>();
  for (const session of sessions) {
    const above = session.parent_id ?? session.forked_from_id ?? "";
    const parent = session.pinned || !isBelow(session, present.get(above)) ? "" : above;
    children.set(parent, [...(children.get(parent) ?? []), session]);
  }
  return children;
}

/** A fork that its person closed stands with what is archived, one that goes on above it: not with what it is of. */
function isBelow(session: Session, above: Session | undefined): boolean {
  if (above === undefined) return false;
  return session.parent_id !== null || isArchived(session) === isArchived(above);
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
