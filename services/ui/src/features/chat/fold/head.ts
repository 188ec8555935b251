/** What each event says of the session as a whole. */
import { recordOf } from "../../../lib/address";
import type { LogEvent, Session } from "../../../lib/wire";
import { plus } from "./usage";

export type EventOf<Type extends LogEvent["type"]> = Extract<LogEvent, { type: Type }>;

/** What the event says of the session as a whole. Applied once: the caller checks the sequence. */
export function head(session: Session, event: LogEvent): Partial<Session> {
  switch (event.type) {
    case "foldline.session.turn_started.v1":
      return { status: "running", failed_turn: null };
    case "foldline.session.model_call_requested.v1":
      return { status: "running" };
    case "foldline.session.waiting.v1":
      return { status: "waiting_for_input" };
    case "foldline.session.tool_call_requested.v1":
      return session.status === "waiting_for_input" ? { status: "running" } : {};
    case "foldline.session.became_idle.v1":
      return { status: "idle", failed_turn: null };
    case "foldline.session.turn_failed.v1":
      return { status: "idle", failed_turn: failedTurn(event) };
    case "foldline.session.interrupted.v1":
      return session.failed_turn ? { failed_turn: { ...session.failed_turn, retry_at: null } } : {};
    case "foldline.session.token_limit_hit.v1":
      return { status: "token_limit_reached" };
    case "foldline.session.continued.v1":
      return {
        token_limit: event.body.token_limit,
        status: session.status === "token_limit_reached" ? "running" : session.status,
      };
    case "foldline.session.thinking_changed.v1":
      return { thinking: event.body.thinking ?? null };
    case "foldline.session.completed.v1":
      return { status: "completed", failed_turn: null };
    case "foldline.session.reopened.v1":
      return session.status === "completed" ? { status: "idle" } : {};
    case "foldline.session.failed.v1": {
      const { kind, message } = event.body;
      return { status: "error", error: { kind, message }, failed_turn: null };
    }
    case "foldline.session.titled.v1":
    case "foldline.session.renamed.v1":
      return { title: event.body.title };
    case "foldline.session.model_call_completed.v1":
    case "foldline.session.tool_call_completed.v1":
    case "foldline.session.tool_call_failed.v1":
    case "foldline.session.tool_call_pending.v1": {
      // Of a tool call: what the tool itself asked models for.
      const { usage } = event.body;
      if (!usage) return {};
      const whole = session.usage_with_children;
      const changed = { usage: plus(session.usage, usage) };
      return whole ? { ...changed, usage_with_children: plus(whole, usage) } : changed;
    }
    default:
      return {};
  }
}

function failedTurn({ sequence, body }: EventOf<"foldline.session.turn_failed.v1">) {
  const { kind, message, retryable = false, retry_at = null, setting = null } = body;
  return { failed_at: recordOf(sequence), kind, message, retryable, retry_at, setting };
}
