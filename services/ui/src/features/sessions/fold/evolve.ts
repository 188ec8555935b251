/** The session list's fold. Total, pure, and indifferent to repeats. */
import { includes, recordOf } from "../../../lib/address";
import { isEntityEvent, type LogEvent, type Session, type SessionStatus } from "../../../lib/wire";
import { type ListView, withoutErased } from "./view";

/** How the ids of agents begin that only a bisection's probes have: no list has their chats. */
const PROBES = "probe_";

/** The list after one more event of any session. */
export function evolve(view: ListView, event: LogEvent): ListView {
  if (isEntityEvent(event)) return event.body.kind === "erased" ? withoutErased(view, event.body.name) : view;
  const id = event.session_id;
  if (!id || view.erased.includes(id) || event.agent_id?.startsWith(PROBES)) return view;
  const known = view.sessions[id];
  if (!known) {
    if (event.type === "foldline.session.created.v1") return added(view, created(event, id));
    return view.unknown.includes(id) ? view : { ...view, unknown: [...view.unknown, id] };
  }
  if (includes(known.last_sequence, event.sequence)) return view;
  const change = changeOf(known.status, event) ?? inherited(view, known, event);
  // Events that show nothing in the list do not make a new view: it would only be drawn again.
  if (!change) return view;
  const moved = { ...known, ...change, last_sequence: event.sequence, updated_at: event.time };
  return { ...view, sessions: { ...view.sessions, [id]: moved } };
}

function changeOf(status: SessionStatus, event: LogEvent): Partial<Session> | null {
  // A person or the agent says something: that alone moves a chat in the list, not that it fails and tries again.
  const active_at = event.time;
  switch (event.type) {
    case "foldline.session.user_message.v1":
    case "foldline.session.tool_response.v1":
      return { active_at };
    case "foldline.session.model_call_completed.v1": {
      const { purpose = "turn", text } = event.body;
      return purpose === "turn" && text.trim() ? { active_at } : null;
    }
    case "foldline.session.turn_started.v1":
      return { status: "running", failed_turn: null };
    case "foldline.session.model_call_requested.v1":
      return { status: "running" };
    case "foldline.session.waiting.v1":
      return { status: "waiting_for_input", active_at };
    case "foldline.session.became_idle.v1":
      return { status: "idle", failed_turn: null };
    case "foldline.session.turn_failed.v1": {
      const { kind, message, retryable = false, retry_at = null } = event.body;
      const failed_turn = { failed_at: recordOf(event.sequence), kind, message, retryable, retry_at };
      return { status: "idle", failed_turn };
    }
    case "foldline.session.token_limit_hit.v1":
      return { status: "token_limit_reached" };
    case "foldline.session.completed.v1":
      return { status: "completed", failed_turn: null };
    case "foldline.session.reopened.v1":
      return status === "completed" ? { status: "idle" } : null;
    case "foldline.session.failed.v1":
      return { status: "error", error: { kind: event.body.kind, message: event.body.message } };
    case "foldline.session.pinned.v1":
      return { pinned: event.body.pinned ?? true };
    case "foldline.session.titled.v1":
    case "foldline.session.renamed.v1":
      return { title: event.body.title };
    default:
      return null;
  }
}

/** A fork stands below the session it was forked from, and has its title unless it has one of its own. */
function inherited(view: ListView, session: Session, event: LogEvent): Partial<Session> | null {
  if (event.type !== "foldline.session.forked_from.v1") return null;
  const { session_id: forked_from_id } = event.body;
  return { forked_from_id, title: session.title ?? view.sessions[forked_from_id]?.title ?? null };
}

function created(event: Extract<LogEvent, { type: "foldline.session.created.v1" }>, id: string): Session {
  const { agent_id, title = null, model = null, parent_id = null, depth = 0, token_limit } = event.body;
  const session: Session = {
    id,
    agent_id,
    title,
    status: "idle",
    model,
    parent_id,
    depth,
    token_limit,
    usage: { input: 0, output: 0 },
    error: null,
    created_at: event.time,
    active_at: event.time,
    updated_at: event.time,
    last_sequence: event.sequence,
  };
  return session;
}

function added(view: ListView, session: Session): ListView {
  return {
    ...view,
    sessions: { ...view.sessions, [session.id]: session },
    unknown: view.unknown.filter((id) => id !== session.id),
  };
}
