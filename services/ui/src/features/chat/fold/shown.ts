/** What the agent shows by calls that wait: blocks within the chat, components beside it. */
import { isBlocks, isComponent } from "../../../lib/shown";
import type { ToolCall } from "../../../lib/wire";
import { type ChatView, pendingCalls } from "./view";

/** True for a call that shows something other than a question. */
export function isShown(call: ToolCall): boolean {
  return isBlocks(call) || isComponent(call);
}

/** What the person chose to see in the canvas, and what they shut. */
export interface CanvasChoice {
  /** Opened by hand; `waited`: it waited for an answer then. */
  opened: { callId: string; waited: boolean } | null;
  shut: readonly string[];
}

export const NOTHING_CHOSEN: CanvasChoice = { opened: null, shut: [] };

/** The call in the canvas: what was opened by hand, until it is answered, else what waits and was not shut. */
export function inCanvas(view: ChatView, { opened, shut }: CanvasChoice): ToolCall | null {
  const call = opened && view.calls[opened.callId];
  if (call && (!opened.waited || call.status === "pending")) return call;
  return pendingCalls(view).find((one) => isComponent(one) && !shut.includes(one.call_id)) ?? null;
}
