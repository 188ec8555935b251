/** How the pieces of a streaming answer add up. Best effort: the recorded message always supersedes them. */
import type { Delta } from "../../../contracts/events";
import type { LiveAnswerSoFar } from "../../../lib/wire";
import type { ChatMessage, ChatView, LiveAnswer } from "./view";

/** The view after one more piece. Pieces of another call than the open one, or of an earlier attempt, are dropped. */
export function withDelta(view: ChatView, delta: Delta): ChatView {
  if (!isAwaited(view, delta.call_id)) return view;
  const current = view.live?.callId === delta.call_id ? view.live : null;
  if (current && delta.attempt < current.attempt) return view;
  if (delta.retrying) {
    const begun = current?.attempt === delta.attempt;
    return begun ? view : { ...view, live: { ...empty(delta), retrying: delta.retrying } };
  }
  const base = current && delta.attempt === current.attempt ? current : empty(delta);
  if (delta.index < base.next) return view;
  const read = delta.prompt_read ?? null;
  if (read !== null) return { ...view, live: { ...base, retrying: null, promptRead: read } };
  return { ...view, live: extended(base, delta) };
}

/** The view with what an answer came to before the page began to watch. */
export function withAnswer(view: ChatView, answer: LiveAnswerSoFar): ChatView {
  const {
    call_id,
    attempt,
    next,
    text,
    thinking = "",
    tools,
    gaps,
    retrying = null,
    prompt_read = null,
  } = answer;
  if (!isAwaited(view, call_id)) return view;
  const current = view.live?.callId === call_id ? view.live : null;
  const older =
    current && (attempt < current.attempt || (attempt === current.attempt && next < current.next));
  if (older) return view;
  const live = { callId: call_id, attempt, next, text, thinking, tools, gaps, retrying };
  return { ...view, live: { ...live, promptRead: prompt_read } };
}

/** Pieces travel another way than events: one may come after the end of its call. */
function isAwaited(view: ChatView, callId: string): boolean {
  const { id, status, open_model_call, newest_model_call } = view.session;
  if (open_model_call) return open_model_call === callId;
  const own = (message: ChatMessage) => message.sessionId === id && message.modelCallId === callId;
  return status === "running" && newest_model_call !== callId && !view.messages.some(own);
}

/**
 * What streamed so far, for as long as it is not recorded. Of a call that was stopped it stays in sight until its
 * message comes.
 */
export function stillLive(view: ChatView): LiveAnswer | null {
  const { live, session } = view;
  if (!live || session.cut_model_call === live.callId) return live;
  return isAwaited(view, live.callId) ? live : null;
}

function empty(delta: Delta): LiveAnswer {
  const { call_id, attempt } = delta;
  return {
    callId: call_id,
    attempt,
    next: 0,
    text: "",
    thinking: "",
    tools: [],
    gaps: false,
    retrying: null,
    promptRead: null,
  };
}

function extended(live: LiveAnswer, delta: Delta): LiveAnswer {
  const missing = delta.index > live.next;
  const tool = delta.tool ?? null;
  const begun = tool !== null && live.tools.at(-1) !== tool;
  // What was told as text may turn out to have been thinking.
  const text = delta.was_thinking ? "" : live.text;
  const thinking = delta.was_thinking ? live.thinking + live.text : live.thinking;
  return {
    ...live,
    next: delta.index + 1,
    thinking: `${thinking}${delta.thinking ?? ""}`,
    text: `${text}${missing ? " … " : ""}${delta.text ?? ""}`,
    tools: begun ? [...live.tools, tool] : live.tools,
    gaps: live.gaps || missing,
    retrying: null,
    promptRead: null,
  };
}
