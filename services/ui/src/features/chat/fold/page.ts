/** How loaded pages become part of the view, and which events they leave open. */
import { before, placeOf } from "../../../lib/address";
import type { Message, MessagePage, Session, ToolCall } from "../../../lib/wire";
import { withCalls } from "./calls";
import { type ChatMessage, type ChatView, callKey } from "./view";

/** The view of a session as its newest page shows it. */
export function opened(session: Session, page: MessagePage): ChatView {
  const view: ChatView = {
    session,
    messages: page.messages.map((message) => chatMessage(message, session.id)),
    calls: {},
    before: page.before,
    modelCall: null,
    cutCall: null,
    endedCall: null,
    live: null,
    unjoined: [],
    refused: refusedIn(page),
  };
  return withCalls(view, callsOf(page.messages, session.id));
}

/** The view with an earlier page put before what is there. */
export function withEarlier(view: ChatView, page: MessagePage): ChatView {
  const first = view.messages[0]?.sequence ?? Number.POSITIVE_INFINITY;
  const earlier = page.messages.filter((message) => placeOf(message.address) < first);
  const refused = [...view.refused, ...refusedIn(page)];
  const next = {
    ...view,
    before: page.before,
    refused,
    messages: [...earlier.map((message) => chatMessage(message, view.session.id)), ...view.messages],
  };
  return withCalls(next, callsOf(earlier, view.session.id));
}

/**
 * The log sequence after which the session's events tell which messages of the page are still queued; null if none is.
 *
 * The page has everything up to its own `sequence`, but of messages of the user at its end only the events behind
 * them tell whether a model call has joined them.
 */
export function queuedSince(page: MessagePage): number | null {
  const shown = page.messages.filter((message) => !message.hidden_by);
  const lastReply = shown.findLastIndex((message) => message.role !== "user");
  const firstUnanswered = shown[lastReply + 1];
  return firstUnanswered ? before(placeOf(firstUnanswered.address)) : null;
}

function refusedIn(page: MessagePage): number[] {
  return page.messages.filter((message) => message.refused).map((message) => placeOf(message.address));
}

function callsOf(messages: readonly Message[], viewed: string): [string, ToolCall][] {
  return messages.flatMap(({ session_id, tool_calls }) =>
    tool_calls.map((call): [string, ToolCall] => [callKey(viewed, session_id, call.call_id), call]),
  );
}

function chatMessage(message: Message, viewed: string): ChatMessage {
  const { role, text, files, time, model, usage, hidden_by: hiddenBy } = message;
  return {
    sequence: placeOf(message.address),
    role,
    source: message.source ?? null,
    text,
    files,
    time,
    model,
    usage,
    sessionId: message.session_id,
    calls: message.tool_calls.map((call) => callKey(viewed, message.session_id, call.call_id)),
    modelCallId: message.model_call_id,
    wokenBy: message.woken_by ?? null,
    client: message.client ?? null,
    prompt: message.prompt ?? null,
    wakeType: message.wake_type ?? null,
    hiddenBy: hiddenBy ? placeOf(hiddenBy) : null,
    incomplete: message.incomplete ?? null,
    cutWords: message.cut_words ?? null,
    thinking: message.thinking?.text ?? null,
    wholeThinking: message.thinking?.whole?.size ?? null,
    adapted: message.adapted ?? [],
    tried: message.tried ?? [],
    rating: message.rating ? { value: message.rating, text: message.rating_text ?? null } : null,
    shadows: message.shadows ?? null,
  };
}
