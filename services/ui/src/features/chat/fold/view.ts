/** What the chat knows of one session: the fold of its events, and of the pieces that stream in between. */
import type { Delta, EventBodies } from "../../../contracts/events";
import type { ChosenPrompt, SentFile, Session, TokenUsage, ToolCall, TriedModel } from "../../../lib/wire";
import type { Incomplete } from "./incomplete";

export interface Rating {
  value: "up" | "down";
  text: string | null;
}

export interface ChatMessage {
  /** Where its event stands: see `address`. */
  sequence: number;
  /** The session that it was said in: a fork begins with messages of another. */
  sessionId: string;
  role: "user" | "assistant" | "error" | "summary";
  /** Who said it, where that isn't a person: a reminder, another service. */
  source: string | null;
  text: string;
  /** The files that came with it, as they were then. */
  files: readonly SentFile[];
  time: string;
  model: string | null;
  usage: TokenUsage | null;
  /** The tool calls that the message asked for, in order, by their keys: see `callKey`. */
  calls: readonly string[];
  /** The model call whose answer it is. */
  modelCallId: string | null;
  /** The other service that said it. */
  wokenBy: string | null;
  /** The MCP client that said it in a person's name. */
  client: string | null;
  /** A person chose this prompt of an MCP server, which said the words. */
  prompt: ChosenPrompt | null;
  /** The type of that service's event, in its own words. */
  wakeType: string | null;
  /** The rewind (a sequence) that took it out of the conversation. */
  hiddenBy: number | null;
  /** Why it is not a whole answer. */
  incomplete: Incomplete | null;
  /** What the model's server said where it broke the answer off. */
  cutWords: string | null;
  /** What the model thought before it answered: no part of the answer. */
  thinking: string | null;
  /** Bytes of all of it, where `thinking` has only its beginning and its end. */
  wholeThinking: number | null;
  /** What its model can't take: `no_tools`, `no_pictures`. */
  adapted: readonly string[];
  /** The models and keys of its chain that were asked before `model`. */
  tried: readonly TriedModel[];
  /** How a person rates this answer, and why. */
  rating: Rating | null;
  /** Of a summary: the messages (sequences) in whose place it stands before the model. */
  shadows: { first: number; last: number } | null;
}

/** A model's answer while it streams. The recorded message takes its place. */
export interface LiveAnswer {
  callId: string;
  attempt: number;
  /** The index of the piece expected next. */
  next: number;
  text: string;
  /** What the model thinks: no part of the answer. */
  thinking: string;
  /** Names of the tools that the model has begun to call. */
  tools: readonly string[];
  /** Pieces are missing, at the beginning or within: they come with the recorded message. */
  gaps: boolean;
  /** The attempt is about to begin: when, and why the one before it gave no answer. */
  retrying: Delta["retrying"];
  /** Percent of the prompt that the model's server has read: it reads until the first piece. */
  promptRead: number | null;
}

export interface ChatView {
  session: Session;
  /** By sequence, oldest first. */
  messages: readonly ChatMessage[];
  /** By `callKey`. */
  calls: Readonly<Record<string, ToolCall>>;
  /** Fetches the page before the first message; null if there is none. */
  before: string | null;
  /** The model call that is out, if it was seen being requested. */
  modelCall: string | null;
  /** The model call that was stopped: what it had said by then is still to come. */
  cutCall: string | null;
  /** The model call that ended last: whatever still comes of it is late. */
  endedCall: string | null;
  live: LiveAnswer | null;
  /** Sequences of messages that no model call has joined yet. */
  unjoined: readonly number[];
  /** Sequences of messages that the session took no more. */
  refused: readonly number[];
}

const TERMINAL = new Set(["completed", "error"]);

/** True for a session that takes no messages any more. */
export function isClosed(session: Session): boolean {
  return TERMINAL.has(session.status);
}

/** True for a model call whose end is known: by its event, or by its message on a page. */
export function hasEnded(view: ChatView, callId: string): boolean {
  const own = (message: ChatMessage) => message.sessionId === view.session.id;
  return view.endedCall === callId || view.messages.some((one) => own(one) && one.modelCallId === callId);
}

/** Names a call in the view of session `viewed`. A fork's own calls may have ids that calls before it have too. */
export function callKey(viewed: string, sessionId: string, callId: string): string {
  return sessionId === viewed ? callId : `${sessionId}/${callId}`;
}

/** The pending calls, in the order in which they were asked for. */
export function pendingCalls(view: ChatView): ToolCall[] {
  return view.messages
    .flatMap((message) => message.calls)
    .flatMap((id) => view.calls[id] ?? [])
    .filter((call) => call.status === "pending");
}

/** Insert a message at its place; one that exists already stays as it is. */
export function withMessage(view: ChatView, message: ChatMessage): ChatView {
  const at = view.messages.findLastIndex((known) => known.sequence <= message.sequence);
  if (view.messages[at]?.sequence === message.sequence) return view;
  return { ...view, messages: view.messages.toSpliced(at + 1, 0, message) };
}

/** What a message of this event has of its own accord. */
export function plain(event: { sequence: number; time: string; session_id: string | null }) {
  return {
    sequence: event.sequence,
    sessionId: event.session_id ?? "",
    time: event.time,
    files: [],
    source: null,
    model: null,
    usage: null,
    calls: [],
    modelCallId: null,
    hiddenBy: null,
    wokenBy: null,
    client: null,
    prompt: null,
    wakeType: null,
    incomplete: null,
    cutWords: null,
    thinking: null,
    wholeThinking: null,
    adapted: [],
    tried: [],
    rating: null,
    shadows: null,
  };
}

/** Of a wake: whose message it is, and what that service calls its event. */
export function wokenAs({ source, wake_type }: EventBodies["foldline.session.woken.v1"]) {
  return { wokenBy: source, wakeType: wake_type ?? null };
}
