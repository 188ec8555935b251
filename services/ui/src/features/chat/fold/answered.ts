/** What an answer does to the call that waits for it. */
import { addressOf } from "../../../lib/address";
import { decisionIn, isApproval } from "../../../lib/approvals";
import { goesOn } from "../../../lib/shown";
import type { LogEvent, ToolCall } from "../../../lib/wire";
import { advance, isOld } from "./calls";
import type { ChatView } from "./view";

type EventOf<Type extends LogEvent["type"]> = Extract<LogEvent, { type: Type }>;

/** The call waits for a person: as its runner says, or as the engine does before one runs that needs a yes. */
export function pending(
  view: ChatView,
  { body: { call_id, show, runner }, sequence, time }: EventOf<"foldline.session.tool_call_pending.v1">,
): ChatView {
  if (isOld(view.calls[call_id], sequence)) return view;
  const before = runner === "engine" && show.kind === "approval";
  if (before && view.calls[call_id]?.request_address !== null) return view;
  const since = view.calls[call_id]?.requested_at ?? time;
  return advance(view, call_id, { status: "pending", show, runner, requested_at: since });
}

/** The call has its answer. */
export function answered(view: ChatView, callId: string, result: unknown, event: LogEvent): ChatView {
  const call = view.calls[callId];
  if (call?.status !== "pending" || isOld(call, event.sequence)) return view;
  const over = { result_address: addressOf(event.sequence), finished_at: event.time };
  if (goesOn(call)) return advance(view, callId, { status: "planned" });
  if (!isApproval(call)) return advance(view, callId, { status: "completed", result, ...over });
  const error = ending(call, result);
  if (error) return advance(view, callId, { status: "failed", error, ...over });
  const { arguments: edited } = decisionIn(result);
  return advance(view, callId, { status: "planned", ...(edited ? { arguments: edited } : {}) });
}

/** What a call ends with by a person's answer: a refusal, or a yes that is for its next run. */
function ending(call: ToolCall, response: unknown): ToolCall["error"] {
  const { decision, reason } = decisionIn(response);
  if (decision === "refuse") {
    const said = reason?.trim() ? `: ${reason.trim()}` : " and gave no reason";
    const message = `The user refused this call${said}. Do not try it again in another way unless the user asks for it.`;
    return { kind: "refused", message };
  }
  if (call.request_address === null) return null;
  const message =
    "The user has now allowed what this call wanted to send. The call itself ended before: make it again if it is still needed.";
  return { kind: "approval_needed", message, retryable: true };
}
