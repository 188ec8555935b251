/** What the chat knows of one session: the fold of its events, and of the pieces that stream in between. */
import type { Delta } from "../../../contracts/events";
import { addressOf } from "../../../lib/address";
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
  /** What that person calls themselves, as the program told it. */
  speaker: string | null;
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
  /** The session took it no more. */
  refused: boolean;
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
  live: LiveAnswer | null;
}

const TERMINAL = new Set(["completed", "error"]);

/** True for a session that takes no messages any more. */
export function isClosed(session: Session): boolean {
  return TERMINAL.has(session.status);
}

/** True for a message that no model call has read yet. */
export function isUnread({ session }: ChatView, message: ChatMessage): boolean {
  return message.sessionId === session.id && !!session.queued?.includes(addressOf(message.sequence));
}

/** True for a call that has no ending yet. */
export function isOpen({ status }: ToolCall): boolean {
  return status !== "completed" && status !== "failed" && status !== "cancelled";
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
