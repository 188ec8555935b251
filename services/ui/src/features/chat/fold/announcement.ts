/** What a screen reader should say when the chat moves on. Streaming pieces are not read out, whole messages are. */
import { plainText } from "../../../lib/plainText";
import { isComponent, isWorkedOn, questionKey, titleOf } from "../../../lib/shown";
import type { ToolCall } from "../../../lib/wire";
import { askedBy } from "./handOver";
import { questionOf } from "./question";
import { isShown } from "./shown";
import { type ChatView, pendingCalls } from "./view";

const LONGEST = 400;

/** The text to announce between two views of one session, or null. */
export function announcement(before: ChatView, after: ChatView): string | null {
  if (after.session.id !== before.session.id) return null;
  const last = before.messages.at(-1)?.sequence ?? 0;
  const fresh = after.messages.filter((message) => message.sequence > last && message.text);
  const said = fresh.findLast((message) => message.role !== "user" && message.role !== "summary");
  const waited = new Set(pendingCalls(before).map(questionKey));
  const asked = pendingCalls(after).find((call) => !waited.has(questionKey(call)) && !isWorkedOn(call));
  const parts: string[] = [];
  const [hidBefore, hidAfter] = [hidden(before), hidden(after)];
  if (hidAfter > hidBefore) parts.push("Rewound.");
  if (hidAfter < hidBefore) parts.push("A rewind was undone.");
  if (fresh.some((message) => message.role === "summary")) parts.push("Earlier messages were summarised.");
  if (said) parts.push(`${said.role === "error" ? "Error" : "Agent"}: ${plainText(said.text)}`);
  if (asked) parts.push(waitsWords(asked));
  if (endedUnanswered(before, after)) parts.push("Stopped.");
  const text = parts.join(" ");
  if (!text) return null;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function waitsWords(call: ToolCall): string {
  if (call.show?.kind === "browser_hand_over") return `Take over the browser: ${askedBy(call).reason}`;
  if (!isShown(call)) return `Question: ${plainText(questionOf(call).text) || call.tool}`;
  const where = isComponent(call) ? "in the canvas" : "in the chat";
  return `${titleOf(call)} waits for you ${where}.`;
}

/** The turn ended, and not by an answer: that is a message of the agent which calls no tool. */
function endedUnanswered(before: ChatView, after: ChatView): boolean {
  if (before.session.status !== "running" || after.session.status !== "idle") return false;
  const last = after.messages.findLast((message) => message.hiddenBy === null && message.role !== "summary");
  return last?.role !== "assistant" || last.calls.length > 0;
}

function hidden(view: ChatView): number {
  return view.messages.filter((message) => message.hiddenBy !== null).length;
}
