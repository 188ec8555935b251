/** The chat's fold: what each event of the session does to the view. Total, pure, and indifferent to repeats. */
import { addressOf, includes, placeOf, recordOf } from "../../../lib/address";
import { sourcesOf } from "../../../lib/outside";
import { goesOn } from "../../../lib/shown";
import type { LogEvent, ToolCall } from "../../../lib/wire";
import { answered, pending } from "./answered";
import { advance, canBeClaimed, isOld, planned, withCalls } from "./calls";
import { type EventOf, head } from "./head";
import { brokenOff, incompleteness, saysSomething } from "./incomplete";
import { loneQuestion } from "./question";
import { type ChatMessage, type ChatView, hasEnded, isClosed, plain, withMessage, wokenAs } from "./view";

/** The view after one more event. Events may come again (a reconnect) or overlap what was loaded. */
export function evolve(view: ChatView, event: LogEvent): ChatView {
  const next = body(view, event);
  if (includes(next.session.last_sequence, event.sequence)) return next;
  const changes = head(view.session, event);
  const moved = { ...next.session, ...changes, last_sequence: event.sequence, updated_at: event.time };
  return { ...next, session: moved };
}

/** What the event does to messages and calls. */
function body(view: ChatView, event: LogEvent): ChatView {
  switch (event.type) {
    case "foldline.session.user_message.v1":
      return userMessage(view, event);
    case "foldline.session.reminder_due.v1":
      return reminded(view, event);
    case "foldline.session.outcome_settled.v1":
      return queued(view, event, event.body.message, { source: "outcome" });
    case "foldline.session.report_asked.v1":
      return queued(view, event, event.body.message, { source: "foldline" });
    case "foldline.session.woken.v1":
      return queued(view, event, event.body.message, wokenAs(event.body));
    case "foldline.session.input_refused.v1": {
      const { input } = event.body;
      if (view.refused.includes(input)) return view;
      return {
        ...view,
        refused: [...view.refused, input],
        unjoined: view.unjoined.filter((s) => s !== input),
      };
    }
    case "foldline.session.messages_shadowed.v1": {
      const { first, last, summary, reason } = event.body;
      const ending = reason === "task" ? endingTask(view) : null;
      const asked = ending ? requested(view, ending.call_id, event) : view;
      return withMessage(asked, {
        ...plain(event),
        role: "summary",
        text: summary,
        shadows: { first, last },
      });
    }
    case "foldline.session.model_call_requested.v1":
      // What came before this request joins, but for wakes that wait for the next turn.
      return {
        ...view,
        modelCall: hasEnded(view, event.body.call_id) ? null : event.body.call_id,
        live: view.live?.callId === event.body.call_id ? view.live : null,
        unjoined: view.unjoined.filter((at) => at > event.sequence || !joins(view, event, at)),
      };
    case "foldline.session.model_call_completed.v1":
      return modelAnswered(view, event);
    case "foldline.session.model_call_failed.v1":
      return modelCallOver(view, event.body.call_id);
    case "foldline.session.became_idle.v1":
    case "foldline.session.completed.v1":
      return cutOff(view);
    case "foldline.session.turn_failed.v1":
    case "foldline.session.failed.v1": {
      const { message } = event.body;
      const over = cutOff(view);
      return withMessage(over, { ...plain(event), role: "error", text: message });
    }
    case "foldline.session.tool_quarantined.v1":
      return withMessage(view, { ...plain(event), role: "error", text: event.body.message });
    // A call that makes a sub-session is asked for by that alone; a held one begins after it was answered.
    case "foldline.session.child_spawned.v1":
      return isOver(view, event.body.call_id) ? view : requested(view, event.body.call_id, event);
    case "foldline.session.tool_call_requested.v1":
      return requested(view, event.body.call_id, event);
    case "foldline.session.call_claimed.v1":
      if (!canBeClaimed(view.calls[event.body.call_id], event.sequence)) return view;
      return advance(view, event.body.call_id, { status: "running", runner: event.body.runner });
    case "foldline.session.tool_call_pending.v1":
      return pending(view, event);
    case "foldline.session.tool_call_completed.v1":
    case "foldline.session.tool_call_failed.v1":
      return toolEnded(view, event);
    case "foldline.session.tool_call_cancelled.v1": {
      const kind = event.body.kind ?? "cancelled";
      const message = kind === "expired" ? "Nobody answered in time." : "Stopped before it had a result.";
      return advance(view, event.body.call_id, {
        status: "cancelled",
        error: { kind, message },
        result_address: addressOf(event.sequence),
        finished_at: event.time,
      });
    }
    case "foldline.session.tool_response.v1":
      return answered(view, event.body.call_id, event.body.response, event);
    case "foldline.session.feedback.v1":
      return rated(view, event);
    default:
      return view;
  }
}

/** The newest rating counts: what was loaded has those from before it. */
function rated(view: ChatView, { sequence, body }: EventOf<"foldline.session.feedback.v1">): ChatView {
  if (includes(view.session.last_sequence, sequence)) return view;
  const { answer, rating = null, text = null } = body;
  const messages = view.messages.map((message) =>
    message.role === "assistant" &&
    message.sessionId === view.session.id &&
    message.sequence === placeOf(answer)
      ? { ...message, rating: rating && { value: rating, text } }
      : message,
  );
  return { ...view, messages };
}

/** A message to a session that waits for nothing but one question is that question's answer: it waits for nothing. */
function userMessage(view: ChatView, event: EventOf<"foldline.session.user_message.v1">): ChatView {
  const { text, files = [], client = null, prompt = null } = event.body;
  if (!includes(view.session.last_sequence, event.sequence)) {
    const message = { ...plain(event), role: "user" as const, text, files, client, prompt };
    const asked = loneQuestion(view);
    if (asked) {
      const said = withMessage(view, message);
      const sent = files.map(({ file_id, path, media_type, size }) => ({ file_id, path, media_type, size }));
      const answer = { answer: text, from_options: false, ...(sent.length ? { files: sent } : {}) };
      return answered(said, asked.call_id, answer, event);
    }
    if (isClosed(view.session)) return withMessage(view, message);
  }
  return queued(view, event, text, { files, client, prompt });
}

/**
 * A message that waits for the next model call. An event from before the session was read makes no new message (what
 * was loaded has them all), but may still tell that one is queued.
 */
function queued(
  view: ChatView,
  { sequence, time }: LogEvent,
  text: string,
  more: Partial<Pick<ChatMessage, "files" | "source" | "wokenBy" | "wakeType" | "client" | "prompt">> = {},
): ChatView {
  const known = view.messages.some((message) => message.sequence === sequence);
  if (!known && includes(view.session.last_sequence, sequence)) return view;
  const next = withMessage(view, {
    ...plain({ sequence, time, session_id: view.session.id }),
    role: "user",
    text,
    ...more,
  });
  return next.unjoined.includes(sequence) ? next : { ...next, unjoined: [...next.unjoined, sequence] };
}

/** A reminder, which says so when it comes late; a quiet one begins no turn, so nothing is waited for. */
function reminded(view: ChatView, event: EventOf<"foldline.session.reminder_due.v1">): ChatView {
  const { message, late } = event.body;
  const told = queued(view, event, late ? `${message}\n\n${late}` : message, { source: "reminder" });
  return event.body.quiet ? { ...told, unjoined: view.unjoined } : told;
}

/** Whether a queued message joins the request that came after it: a wake only if the request names it. */
function joins(
  view: ChatView,
  { body }: EventOf<"foldline.session.model_call_requested.v1">,
  at: number,
): boolean {
  const wake = view.messages.some((message) => message.sequence === at && message.wokenBy !== null);
  return !wake || (body.joins ?? []).some((joined) => recordOf(at) === joined);
}

function isOver(view: ChatView, callId: string): boolean {
  const status = view.calls[callId]?.status;
  return status !== undefined && !["planned", "pending", "requested", "running"].includes(status);
}

function requested(view: ChatView, callId: string, { sequence, time }: LogEvent): ChatView {
  if (isOld(view.calls[callId], sequence)) return view;
  return advance(view, callId, {
    status: "requested",
    request_address: addressOf(sequence),
    requested_at: time,
  });
}

/** The call that ends a task: the summary of its messages is what the engine does for it. */
function endingTask(view: ChatView): ToolCall | undefined {
  return Object.values(view.calls).find((call) => call.tool === "end_task" && call.status === "planned");
}

/** A call that was stopped tells later what it had said by then. After a rewind an answer only costs tokens. */
function modelAnswered(view: ChatView, event: EventOf<"foldline.session.model_call_completed.v1">): ChatView {
  const { call_id, model, usage, purpose } = event.body;
  const late = view.cutCall === call_id;
  const unseen =
    view.modelCall === null && (view.session.status === "running" || event.body.cut === "stopped");
  if (!late && !unseen && view.modelCall !== call_id) return view;
  const answer = late ? brokenOff(event.body) : event.body;
  if (purpose === "summary" || (answer.cut && !saysSomething(answer))) return modelCallOver(view, call_id);
  const { text, tool_calls = [] } = answer;
  const calls = tool_calls.map((asked) => planned(asked, call_id, event));
  const message = {
    ...plain(event),
    role: "assistant" as const,
    text,
    model,
    usage,
    incomplete: incompleteness(answer),
    cutWords: answer.cut_words ?? null,
    thinking: answer.thinking?.text ?? null,
    wholeThinking: answer.thinking?.whole?.size ?? null,
    adapted: (answer.adapted ?? []).filter((one) => one === "no_tools" || one === "no_pictures"),
    tried: answer.tried ?? [],
    modelCallId: call_id,
    calls: calls.map((call) => call.call_id),
  };
  const known = calls.map((call): [string, ToolCall] => [call.call_id, call]);
  return modelCallOver(withCalls(withMessage(view, message), known), call_id);
}

function modelCallOver(view: ChatView, callId: string): ChatView {
  return {
    ...view,
    modelCall: view.modelCall === callId ? null : view.modelCall,
    cutCall: view.cutCall === callId ? null : view.cutCall,
    endedCall: callId,
    live: view.live?.callId === callId ? null : view.live,
  };
}

/**
 * The session does nothing any more; a model call that had not answered yet is stopped. What it had said stays in
 * sight until it comes as a message.
 */
function cutOff(view: ChatView): ChatView {
  const cut = view.modelCall ?? view.live?.callId ?? null;
  return { ...view, modelCall: null, cutCall: cut ?? view.cutCall, endedCall: cut ?? view.endedCall };
}

function toolEnded(
  view: ChatView,
  event: EventOf<"foldline.session.tool_call_completed.v1" | "foldline.session.tool_call_failed.v1">,
): ChatView {
  const { call_id, runner, duration_ms = 0, attempt = 1, outside } = event.body;
  const call = view.calls[call_id];
  // The engine's own calls wait for others and end by their result; a runner's pending call ends by its answer, or,
  // where it goes on with that, by an error before: who held it has stopped.
  const stopped = event.type === "foldline.session.tool_call_failed.v1" && call !== undefined && goesOn(call);
  const from = call?.runs_on === "engine" || stopped ? "pending" : "running";
  const shared = {
    runner,
    duration_ms,
    attempt,
    outside: sourcesOf(outside, view.session.id, call?.request_address ?? null),
    result_address: addressOf(event.sequence),
    finished_at: event.time,
  };
  if (event.type === "foldline.session.tool_call_failed.v1") {
    return advance(view, call_id, { status: "failed", error: event.body.error, ...shared }, from);
  }
  const { result, excerpt = null } = event.body;
  return advance(view, call_id, { status: "completed", result, excerpt, ...shared }, from);
}
