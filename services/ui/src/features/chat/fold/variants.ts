/**
 * Which other ways a conversation went from a message on. Each way is a session: to say something else in place of a
 * message, or to have it answered again, makes a fork there.
 */
import { includes } from "../../../lib/address";
import type { Place } from "../../../lib/rewinding";
import { before } from "./places";
import type { ChatMessage, ChatView } from "./view";

export interface Variants {
  /** The sessions in which the conversation goes on in these ways, oldest first. */
  sessions: readonly string[];
  /** Which of them is open, from 0. */
  current: number;
}

/** By the sequence of the first message that differs. Of messages that are not loaded nothing is known. */
export function variants(view: ChatView): ReadonlyMap<number, Variants> {
  const { family = [] } = view.session;
  const line = lineOf(view);
  const found = new Map<number, Variants>();
  for (const [owner, at] of branchings(family)) {
    const place = line.findIndex(({ id }) => id === owner);
    const here = line[place];
    if (!here) continue;
    const next = line[place + 1];
    const passed = next !== undefined && next.at === at;
    if (!passed && here.upTo !== null && at >= here.upTo) continue;
    const first = firstAfter(view, at);
    if (!first) continue;
    const forks = family
      .filter((one) => one.forked_from_id === owner && one.fork_sequence === at)
      .map(({ id }) => id);
    const sessions = [owner, ...forks];
    found.set(first.sequence, { sessions, current: passed ? sessions.indexOf(next.id) : 0 });
  }
  return found;
}

/**
 * Where to fork so that what is said there is one more variant of the message: a fork's own first message differs from
 * that of the session that it was forked from.
 */
export function beside(view: ChatView, message: ChatMessage): Place {
  const { id, family = [] } = view.session;
  const fork = family.find((one) => one.id === message.sessionId);
  const own = view.messages.find((one) => one.sessionId === message.sessionId);
  const first = own?.sequence === message.sequence && (view.messages[0] !== own || view.before === null);
  if (!first || message.sessionId !== id || !fork?.forked_from_id || fork.fork_sequence === null)
    return before(message);
  return { sessionId: fork.forked_from_id, at: fork.fork_sequence };
}

/** The sessions whose history the open one has, oldest first; `upTo` (a record) ends what it has of that one. */
function lineOf({ session }: ChatView): { id: string; at: number | null; upTo: number | null }[] {
  const { family = [] } = session;
  const line: { id: string; at: number | null; upTo: number | null }[] = [];
  let id: string | null = session.id;
  let upTo: number | null = null;
  while (id !== null && line.length <= family.length) {
    const known = family.find((one) => one.id === id);
    line.unshift({ id, at: known?.fork_sequence ?? null, upTo });
    upTo = known?.fork_sequence ?? null;
    id = known?.forked_from_id ?? null;
  }
  return line;
}

/** Each session and event after which others went another way. */
function branchings(family: readonly { forked_from_id: string | null; fork_sequence: number | null }[]) {
  const places = new Map<string, [string, number]>();
  for (const { forked_from_id: owner, fork_sequence: at } of family)
    if (owner !== null && at !== null) places.set(`${owner} ${at}`, [owner, at]);
  return places.values();
}

/** The first message of the conversation after that event; null if it may lie before what is loaded. */
function firstAfter(view: ChatView, at: number): ChatMessage | null {
  const shown = view.messages.filter(({ hiddenBy, role }) => hiddenBy === null && role !== "summary");
  // A fork's own events come later in the log than all that it was forked from.
  const index = shown.findIndex((one) => !includes(at, one.sequence));
  const first = shown[index];
  if (!first || first.role === "error") return null;
  const known = index > 0 || view.before === null;
  return known ? first : null;
}
