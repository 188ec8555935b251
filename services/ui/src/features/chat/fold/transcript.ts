/** The chat as a flat list of things to show, each with a stable key: what a list, virtual or not, renders. */
import type { ToolCall } from "../../../lib/wire";
import { isOpen } from "./calls";
import { type Outgoing, visible } from "./outbox";
import type { ChatMessage, ChatView, LiveAnswer } from "./view";

export type TranscriptItem =
  | { kind: "day"; key: string; time: string }
  | { kind: "user"; key: string; message: ChatMessage; note: "queued" | "refused" | null }
  | { kind: "assistant"; key: string; message: ChatMessage }
  | { kind: "error"; key: string; message: ChatMessage }
  | { kind: "tool"; key: string; call: ToolCall }
  | { kind: "said"; key: string; call: ToolCall; text: string }
  | { kind: "question"; key: string; call: ToolCall }
  | { kind: "live"; key: string; live: LiveAnswer }
  | { kind: "thinking"; key: string }
  | { kind: "stopped"; key: string }
  | { kind: "outgoing"; key: string; entry: Outgoing };

/** Everything to show, oldest first. Queued messages stand at the end until a model call joins them. */
export function transcript(view: ChatView, outbox: readonly Outgoing[]): TranscriptItem[] {
  const working = view.session.status === "running" || view.session.status === "waiting_for_input";
  const isQueued = (message: ChatMessage) => working && view.unjoined.includes(message.sequence);
  // The first message starts a turn: nothing is queued behind it, it is simply next.
  const waits = view.live !== null || view.modelCall !== null || openCalls(view).length > 0;
  const queued = waits ? view.messages.filter(isQueued) : [];
  const settled = waits ? view.messages.filter((message) => !isQueued(message)) : view.messages;

  const items: TranscriptItem[] = [];
  let day = "";
  for (const message of settled) {
    const today = new Date(message.time).toDateString();
    if (today !== day) items.push({ kind: "day", key: `day-${message.sequence}`, time: message.time });
    day = today;
    items.push(...itemsOf(view, message));
  }
  if (view.live) items.push({ kind: "live", key: `live-${view.live.callId}`, live: view.live });
  else if (isThinking(view)) items.push({ kind: "thinking", key: "thinking" });
  else if (wasStopped(view)) items.push({ kind: "stopped", key: "stopped" });
  for (const message of queued) items.push({ ...userItem(message), note: "queued" });
  for (const entry of visible(outbox, view)) items.push({ kind: "outgoing", key: entry.key, entry });
  return items;
}

function itemsOf(view: ChatView, message: ChatMessage): TranscriptItem[] {
  if (message.role === "user") {
    return [{ ...userItem(message), note: view.refused.includes(message.sequence) ? "refused" : null }];
  }
  if (message.role === "error") return [{ kind: "error", key: `m${message.sequence}`, message }];
  const items: TranscriptItem[] = [];
  if (message.text.trim()) items.push({ kind: "assistant", key: `m${message.sequence}`, message });
  for (const id of message.calls) {
    const call = view.calls[id];
    if (call) items.push(callItem(call));
  }
  return items;
}

function userItem(message: ChatMessage) {
  return { kind: "user" as const, key: `m${message.sequence}`, message };
}

function callItem(call: ToolCall): TranscriptItem {
  const key = `c${call.call_id}`;
  if (call.show?.kind === "ask_user") return { kind: "question", key, call };
  const { text } = call.arguments;
  const said = call.tool === "send_message" && !call.error && typeof text === "string";
  return said ? { kind: "said", key, call, text } : { kind: "tool", key, call };
}

function openCalls(view: ChatView): ToolCall[] {
  return Object.values(view.calls).filter(isOpen);
}

/** The model is at work and nothing else shows it. */
function isThinking(view: ChatView): boolean {
  return view.session.status === "running" && (view.modelCall !== null || openCalls(view).length === 0);
}

/** The last thing the user said was read, and its turn is over without an answer. */
function wasStopped(view: ChatView): boolean {
  const last = view.messages.at(-1);
  if (view.session.status !== "idle" || last?.role !== "user") return false;
  return !view.unjoined.includes(last.sequence) && !view.refused.includes(last.sequence);
}
