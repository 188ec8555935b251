/** What the session list knows: the fold of all sessions' lifecycle events over what was loaded. */
import { endOf, later } from "../../../lib/address";
import type { Session } from "../../../lib/wire";

export interface ListView {
  sessions: Readonly<Record<string, Session>>;
  /** Ids of sessions that events told of and that were not loaded. */
  unknown: readonly string[];
  /** Ids of sessions that were deleted while the list was open, the latest of them. */
  erased: readonly string[];
}

export const EMPTY_LIST: ListView = { sessions: {}, unknown: [], erased: [] };
const MOST_ERASED = 500;

/** Add loaded sessions; what is known newer stays. */
export function withSessions(view: ListView, loaded: readonly Session[]): ListView {
  const sessions = { ...view.sessions };
  for (const session of loaded) {
    if (view.erased.includes(session.id)) continue;
    const known = sessions[session.id];
    if (known && endOf(known.last_sequence) >= endOf(session.last_sequence)) continue;
    sessions[session.id] = session;
  }
  const unknown = view.unknown.filter((id) => !sessions[id]);
  return { ...view, sessions, unknown };
}

/** The list without a session that was deleted; what else comes of it is passed over. */
export function withoutErased(view: ListView, id: string): ListView {
  if (view.erased.includes(id)) return view;
  const { [id]: _, ...sessions } = view.sessions;
  const unknown = view.unknown.filter((one) => one !== id);
  return { sessions, unknown, erased: [...view.erased, id].slice(-MOST_ERASED) };
}

/** Forget ids that turned out not to be readable. */
export function withoutUnknown(view: ListView, ids: readonly string[]): ListView {
  return { ...view, unknown: view.unknown.filter((id) => !ids.includes(id)) };
}

/** The last event that the list has seen. */
export function position(view: ListView): number {
  return Object.values(view.sessions).reduce((last, one) => later(last, one.last_sequence), 0);
}
