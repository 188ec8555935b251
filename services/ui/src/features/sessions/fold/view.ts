/** What the session list knows: the newest row of each session, as it was loaded or as the stream of events has it. */
import { endOf, later } from "../../../lib/address";
import { sessionRow, withRow } from "../../../lib/rows";
import { isEntityEvent, type LogEvent, type Session } from "../../../lib/wire";

/** How the ids of agents begin that only a bisection's probes have: no list has their chats. */
const PROBES = "probe_";

export interface ListView {
  sessions: Readonly<Record<string, Session>>;
  /** Ids of sessions that were deleted while the list was open, the latest of them. */
  erased: readonly string[];
}

export const EMPTY_LIST: ListView = { sessions: {}, erased: [] };
const MOST_ERASED = 500;

/** The list after one more event of any session. */
export function withChanged(view: ListView, event: LogEvent): ListView {
  if (isEntityEvent(event)) return event.body.kind === "erased" ? withoutErased(view, event.body.name) : view;
  const row = sessionRow(event);
  if (!row || view.erased.includes(row.id) || row.agent_id.startsWith(PROBES)) return view;
  const known = view.sessions[row.id];
  // Rows that show nothing else in the list do not make a new view: it would only be drawn again.
  if (known && (endOf(known.last_sequence) > endOf(row.last_sequence) || looksAlike(known, row))) return view;
  return { ...view, sessions: withRow(view.sessions, row.id, { ...known, ...row }) };
}

/** Add loaded sessions; what is known newer stays. */
export function withSessions(view: ListView, loaded: readonly Session[]): ListView {
  const sessions = { ...view.sessions };
  for (const session of loaded) {
    if (view.erased.includes(session.id)) continue;
    const known = sessions[session.id];
    if (known && endOf(known.last_sequence) >= endOf(session.last_sequence)) continue;
    sessions[session.id] = session;
  }
  return { ...view, sessions };
}

/** The list without a session that was deleted; what else comes of it is passed over. */
export function withoutErased(view: ListView, id: string): ListView {
  if (view.erased.includes(id)) return view;
  const { [id]: _, ...sessions } = view.sessions;
  return { sessions, erased: [...view.erased, id].slice(-MOST_ERASED) };
}

/** The last event that the list has seen. */
export function position(view: ListView): number {
  return Object.values(view.sessions).reduce((last, one) => later(last, one.last_sequence), 0);
}

function looksAlike(known: Session, row: Session): boolean {
  const shown = ({
    status,
    title,
    pinned,
    active_at,
    parent_id,
    forked_from_id,
    failed_turn,
    error,
  }: Session) =>
    JSON.stringify([status, title, pinned, active_at, parent_id, forked_from_id, failed_turn, error?.kind]);
  return shown(known) === shown(row);
}
