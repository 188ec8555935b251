/** How loaded pages, and the rows that change, become part of the view. */
import { includes, placeOf } from "../../../lib/address";
import { rowsOf, sessionRow } from "../../../lib/rows";
import type { LogEvent, Message, MessagePage, Session, SessionRow, ToolCall } from "../../../lib/wire";
import { stillLive } from "./live";
import { type ChatMessage, type ChatView, callKey } from "./view";

/** The view of a session as its newest page shows it. */
export function opened(session: Session, page: MessagePage): ChatView {
  const view: ChatView = {
    session,
    messages: page.items.map((message) => chatMessage(message, session.id)),
    calls: {},
    before: page.next_cursor,
    live: null,
  };
  return withCalls(view, callsOf(page.items, session.id));
}

/** The view with an earlier page put before what is there. */
export function withEarlier(view: ChatView, page: MessagePage): ChatView {
  const first = view.messages[0]?.sequence ?? Number.POSITIVE_INFINITY;
  const earlier = page.items.filter((message) => placeOf(message.address) < first);
  const next = {
    ...view,
    before: page.next_cursor,
    messages: [...earlier.map((message) => chatMessage(message, view.session.id)), ...view.messages],
  };
  return withCalls(next, callsOf(earlier, view.session.id));
}

/**
 * The view with the rows that an event changed: each in place of the one that is there. The session's row may come
 * with a later event; messages and calls don't wait for it.
 */
export function withChanged(view: ChatView, event: LogEvent): ChatView {
  if (!event.rows?.length || includes(view.session.last_sequence, event.sequence)) return view;
  const row = sessionRow(event);
  const viewed = view.session.id;
  const said = rowsOf(event, "messages").filter(({ row: message }) => isLoaded(view, message));
  const calls = rowsOf(event, "tool_calls").map(({ key: [owner, id], row: call }): [string, ToolCall] => [
    callKey(viewed, owner, id),
    call,
  ]);
  const next = {
    ...view,
    session: row
      ? { ...view.session, ...row, ...withChildren(view.session, row), last_sequence: event.sequence }
      : view.session,
    messages: said.reduce(
      (all, { row: message }) => withMessage(all, chatMessage(message, viewed)),
      view.messages,
    ),
    calls: {
      ...view.calls,
      ...Object.fromEntries([
        ...callsOf(
          said.map(({ row: message }) => message),
          viewed,
        ),
        ...calls,
      ]),
    },
  };
  return { ...next, live: stillLive(next) };
}

/** Messages from before the first page that was loaded come with their own page. */
function isLoaded({ messages, before }: ChatView, { address }: Message): boolean {
  return before === null || placeOf(address) >= (messages[0]?.sequence ?? 0);
}

/** What sub-sessions used besides is what it was: only the API tells it anew. */
function withChildren({ usage, usage_with_children: whole }: Session, { usage: now }: SessionRow) {
  if (!whole) return {};
  const grown = (of: "input" | "output" | "cached_input" | "tokens") =>
    (whole[of] ?? 0) - (usage[of] ?? 0) + (now[of] ?? 0);
  const known = now.cost_micros ?? null;
  const cost_micros = known === null ? null : (whole.cost_micros ?? 0) - (usage.cost_micros ?? 0) + known;
  return {
    usage_with_children: {
      ...{ input: grown("input"), output: grown("output"), cached_input: grown("cached_input") },
      tokens: grown("tokens"),
      cost_micros: cost_micros ?? whole.cost_micros ?? null,
    },
  };
}

function withMessage(messages: readonly ChatMessage[], message: ChatMessage): readonly ChatMessage[] {
  const at = messages.findLastIndex((known) => known.sequence <= message.sequence);
  const known = messages[at]?.sequence === message.sequence;
  return known ? messages.with(at, message) : messages.toSpliced(at + 1, 0, message);
}

/** Add calls of an earlier page, by their keys; those that are there are newer. */
function withCalls(view: ChatView, calls: readonly [key: string, call: ToolCall][]): ChatView {
  return { ...view, calls: { ...Object.fromEntries(calls), ...view.calls } };
}

function callsOf(messages: readonly Message[], viewed: string): [string, ToolCall][] {
  return messages.flatMap(({ session_id, tool_calls }) =>
    tool_calls.map((call): [string, ToolCall] => [callKey(viewed, session_id, call.call_id), call]),
  );
}

function chatMessage(message: Message, viewed: string): ChatMessage {
  const { role, text, files, created_at: time, model, usage, hidden_by: hiddenBy } = message;
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
    speaker: message.speaker ?? null,
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
    refused: !!message.refused,
  };
}
