/** The chat as a flat list of things to show, each with a stable key: what a list, virtual or not, renders. */

import { recordOf } from "../../../lib/address";
import { isApproval } from "../../../lib/approvals";
import { saidIn } from "../../../lib/shown";
import type { Child, FailedTurn, ToolCall, TriedModel } from "../../../lib/wire";
import { messagesIn, type Part, parts } from "./groups";
import type { Incomplete } from "./incomplete";
import { type MadeFile, madeIn } from "./made";
import { type Outgoing, visible } from "./outbox";
import { after } from "./places";
import { isShown } from "./shown";
import { type Variants, variants } from "./variants";
import { type ChatMessage, type ChatView, isOpen, isUnread, type LiveAnswer } from "./view";

/** Where all of a long thinking is: the answer that it came before, and its bytes. */
export interface WholeThought {
  sessionId: string;
  answer: number;
  size: number;
}

export type TranscriptItem =
  | { kind: "day"; key: string; time: string }
  /** `variants`: the ways in which the conversation goes on from here; null for the usual one. */
  | {
      kind: "user";
      key: string;
      message: ChatMessage;
      note: "queued" | "refused" | null;
      variants: Variants | null;
      /** It is being said in other words. */
      editing: boolean;
    }
  /** `end` is the last event of what came of it, as far as it is known. */
  | { kind: "assistant"; key: string; message: ChatMessage; end: number; variants: Variants | null }
  /** `failed` while nothing has come after the failed turn, `over` once something has. */
  | { kind: "error"; key: string; message: ChatMessage; failed: FailedTurn | null; over: boolean }
  | { kind: "rewound"; key: string; by: number; count: number; items: readonly TranscriptItem[] }
  | { kind: "summary"; key: string; message: ChatMessage; count: number; items: readonly TranscriptItem[] }
  | { kind: "origin"; key: string; id: string; at: number; title: string | null }
  /** `sessionId` is whose call it is, `child` the session that it made. */
  | { kind: "tool"; key: string; call: ToolCall; sessionId: string; child: Child | null }
  /** Files that the turn made, where it made them last. */
  | { kind: "files"; key: string; files: readonly MadeFile[] }
  | { kind: "said"; key: string; call: ToolCall; text: string }
  | { kind: "approval"; key: string; call: ToolCall }
  | { kind: "question"; key: string; call: ToolCall }
  /** Blocks, or a component: drawn by those who know how. */
  | { kind: "shown"; key: string; call: ToolCall }
  | { kind: "handOver"; key: string; call: ToolCall; sessionId: string }
  | { kind: "live"; key: string; live: LiveAnswer; since: string | null }
  /** What the model thought before an answer; `growing` while it thinks. */
  | { kind: "thought"; key: string; text: string; growing: boolean; whole: WholeThought | null }
  /** `since`: when the person said what is being answered. */
  | { kind: "thinking"; key: string; since: string | null }
  | { kind: "stopped"; key: string }
  /** What the model of this answer and those after it doesn't take. */
  | { kind: "adapted"; key: string; what: string }
  /** Another model of the chain answered than the first one. */
  | { kind: "stoodIn"; key: string; model: string; tried: readonly TriedModel[] }
  | { kind: "incomplete"; key: string; why: Incomplete; words: string | null }
  | { kind: "outgoing"; key: string; entry: Outgoing };

/**
 * Everything to show, oldest first. Queued messages stand at the end until a model call joins them. `editing` is the
 * message (its sequence) that is being said in other words.
 */
export function transcript(
  view: ChatView,
  outbox: readonly Outgoing[],
  editing: number | null = null,
): TranscriptItem[] {
  const working = view.session.status === "running" || view.session.status === "waiting_for_input";
  const isQueued = (message: ChatMessage) => working && isUnread(view, message);
  // The first message starts a turn: nothing is queued behind it, it is simply next.
  const waits = view.live !== null || !!view.session.open_model_call || openCalls(view).length > 0;
  const queued = waits ? view.messages.filter(isQueued) : [];
  const settled = waits ? view.messages.filter((message) => !isQueued(message)) : view.messages;

  let items: TranscriptItem[] = [];
  let day = "";
  const { origin, forked_from_sequence: at, id } = view.session;
  let elsewhere = false;
  for (const part of parts(settled)) {
    const { sequence, time, sessionId } = beginning(part);
    const today = new Date(time).toDateString();
    if (elsewhere && sessionId === id && origin) items.push(originItem(origin, at));
    elsewhere = sessionId !== id;
    if (today !== day) items.push({ kind: "day", key: `day-${sequence}`, time });
    day = today;
    items.push(...partItems(view, part));
  }
  if (elsewhere && origin) items.push(originItem(origin, at));
  items = withFiles(withVariants(items, view, editing));
  const since = askedAt(view);
  if (view.live) items.push(...liveItems(view.live, since));
  else if (isThinking(view)) items.push({ kind: "thinking", key: "thinking", since });
  else if (wasStopped(view)) items.push({ kind: "stopped", key: "stopped" });
  for (const message of queued) items.push({ ...userItem(message), note: "queued" });
  for (const entry of visible(outbox, view)) items.push({ kind: "outgoing", key: entry.key, entry });
  return items;
}

/** With the ways in which the conversation went on, and the message that is being edited. */
function withVariants(items: readonly TranscriptItem[], view: ChatView, editing: number | null) {
  const known = variants(view);
  if (known.size === 0 && editing === null) return [...items];
  return items.map((item) => {
    if (item.kind !== "user" && item.kind !== "assistant") return item;
    const { sequence } = item.message;
    const found = known.get(sequence) ?? null;
    if (item.kind === "user") return { ...item, variants: found, editing: sequence === editing };
    return { ...item, variants: found };
  });
}

/** When what is being worked on was said. */
function askedAt(view: ChatView): string | null {
  return view.messages.findLast(({ role, hiddenBy }) => role === "user" && hiddenBy === null)?.time ?? null;
}

/** With the files that calls made, after the last call of a turn that wrote each. */
function withFiles(items: readonly TranscriptItem[]): TranscriptItem[] {
  const turns: { key: string; call: ToolCall }[][] = [[]];
  for (const item of items) {
    if (item.kind === "user") turns.push([]);
    if (item.kind === "tool") turns.at(-1)?.push(item);
  }
  const made = new Map(turns.flatMap((turn) => [...madeIn(turn)]));
  return items.flatMap((item) => {
    const files = made.get(item.key);
    return files ? [item, { kind: "files" as const, key: `f${item.key}`, files }] : [item];
  });
}

/** The first message of a part: it dates it. */
function beginning(part: Part): ChatMessage {
  if (part.kind === "message") return part.message;
  const [first] = part.parts;
  return first ? beginning(first) : part.message;
}

function partItems(view: ChatView, part: Part): TranscriptItem[] {
  if (part.kind === "message") return itemsOf(view, part.message);
  const items = part.parts.flatMap((inner) => partItems(view, inner));
  const count = messagesIn(part.parts);
  if (part.kind === "summary") {
    return [{ kind: "summary", key: `m${part.message.sequence}`, message: part.message, count, items }];
  }
  return [{ kind: "rewound", key: `r${part.by}-${beginning(part).sequence}`, by: part.by, count, items }];
}

function originItem(origin: { id: string; title: string | null }, at: number | null | undefined) {
  return { kind: "origin" as const, key: "origin", id: origin.id, at: at ?? 0, title: origin.title };
}

function itemsOf(view: ChatView, message: ChatMessage): TranscriptItem[] {
  if (message.role === "user") {
    return [{ ...userItem(message), note: message.refused ? "refused" : null }];
  }
  if (message.role === "summary") {
    return [{ kind: "summary", key: `m${message.sequence}`, message, count: 0, items: [] }];
  }
  if (message.role === "error") return [errorItem(view, message)];
  const items: TranscriptItem[] = message.adapted
    .filter((what) => view.messages.find(({ adapted }) => adapted.includes(what)) === message)
    .map((what) => ({ kind: "adapted", key: `n${message.sequence}-${what}`, what }));
  const { model, tried } = message;
  if (model !== null && tried.some((one) => one.model !== model)) {
    items.push({ kind: "stoodIn", key: `f${message.sequence}`, model, tried });
  }
  if (message.thinking !== null) {
    const { sessionId, sequence, wholeThinking: size } = message;
    const whole = size === null ? null : { sessionId, answer: sequence, size };
    const key = `t${answerKey(message)}`;
    items.push({ kind: "thought", key, text: message.thinking, growing: false, whole });
  }
  if (message.text.trim()) {
    const end = after(message, view.calls).at;
    items.push({ kind: "assistant", key: answerKey(message), message, end, variants: null });
  }
  for (const id of message.calls) {
    const call = view.calls[id];
    if (call) items.push(callItem(view, message, id, call));
  }
  const why = message.incomplete;
  if (why) items.push({ kind: "incomplete", key: `i${message.sequence}`, why, words: message.cutWords });
  return items;
}

function liveItems(live: LiveAnswer, since: string | null): TranscriptItem[] {
  const key = `a${live.callId}`;
  const growing = !live.text && live.tools.length === 0;
  const answer: TranscriptItem = { kind: "live", key, live, since };
  return live.thinking.trim()
    ? [{ kind: "thought", key: `t${key}`, text: live.thinking, growing, whole: null }, answer]
    : [answer];
}

/** The answer stays in its place when it is whole. */
function answerKey({ sequence, modelCallId, hiddenBy }: ChatMessage): string {
  return modelCallId === null || hiddenBy !== null ? `m${sequence}` : `a${modelCallId}`;
}

function errorItem(view: ChatView, message: ChatMessage): TranscriptItem {
  const { id, status, failed_turn } = view.session;
  const now = message.sessionId === id && failed_turn?.failed_sequence === recordOf(message.sequence);
  const failed = (now && failed_turn) || null;
  return { kind: "error", key: `m${message.sequence}`, message, failed, over: !failed && status !== "error" };
}

function userItem(message: ChatMessage) {
  const own = { variants: null, editing: false };
  return { kind: "user" as const, key: `m${message.sequence}`, message, ...own };
}

function callItem(view: ChatView, message: ChatMessage, id: string, call: ToolCall): TranscriptItem {
  const key = `c${id}`;
  if (call.show?.kind === "ask_user") return { kind: "question", key, call };
  if (isApproval(call) && call.status === "pending") return { kind: "approval", key, call };
  if (isShown(call)) return { kind: "shown", key, call };
  if (call.show?.kind === "browser_hand_over") {
    return { kind: "handOver", key, call, sessionId: message.sessionId };
  }
  const said = saidIn(call);
  if (said !== null) return { kind: "said", key, call, text: said };
  const own = message.sessionId === view.session.id;
  const child = (own && view.session.children?.find((one) => one.call_id === call.call_id)) || null;
  return { kind: "tool", key, call, sessionId: message.sessionId, child };
}

function openCalls(view: ChatView): ToolCall[] {
  return Object.values(view.calls).filter(isOpen);
}

/** The model is at work and nothing else shows it. */
function isThinking(view: ChatView): boolean {
  const { status, open_model_call } = view.session;
  return status === "running" && (!!open_model_call || openCalls(view).length === 0);
}

/** The last thing the user said was read, and its turn is over without an answer. */
function wasStopped(view: ChatView): boolean {
  const last = view.messages.findLast((message) => message.hiddenBy === null && !message.shadows);
  if (view.session.status !== "idle" || last?.role !== "user") return false;
  return !isUnread(view, last) && !last.refused;
}
