/** What the session list knows: the fold of all sessions' lifecycle events over what was loaded. */
import { endOf, later } from "../../../lib/address";
import type { Session } from "../../../lib/wire";

export interface ListedSession extends Session {
  /** When something last happened that a person would look for: sorts the list, and does not flicker as agents work. */
  active_at: string;
}

export interface ListView {
  sessions: Readonly<Record<string, ListedSession>>;
  /** Ids of sessions that events told of and that were not loaded. */
  unknown: readonly string[];
}

export const EMPTY_LIST: ListView = { sessions: {}, unknown: [] };

/** Add loaded sessions; what is known newer stays. */
export function withSessions(view: ListView, loaded: readonly Session[]): ListView {
  const sessions = { ...view.sessions };
  for (const session of loaded) {
    const known = sessions[session.id];
    if (known && endOf(known.last_sequence) >= endOf(session.last_sequence)) continue;
    sessions[session.id] = { ...session, active_at: session.updated_at };
  }
  const unknown = view.unknown.filter((id) => !sessions[id]);
  return { sessions, unknown };
}

/** Forget ids that turned out not to be readable. */
export function withoutUnknown(view: ListView, ids: readonly string[]): ListView {
  return { ...view, unknown: view.unknown.filter((id) => !ids.includes(id)) };
}

/** The last event that the list has seen. */
export function position(view: ListView): number {
  return Object.values(view.sessions).reduce((last, one) => later(last, one.last_sequence), 0);
}

/** How many sessions wait for the user. */
export function attention(view: ListView): number {
  return Object.values(view.sessions).filter((session) => session.status === "waiting_for_input").length;
}
