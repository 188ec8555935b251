/** How a tool call moves on: only forward, so that events seen before or twice change nothing. */
import type { ResolvedCall } from "../../../contracts/events";
import { addressOf, placeOf } from "../../../lib/address";
import { roundOf } from "../../../lib/shown";
import type { ToolCall, ToolCallStatus } from "../../../lib/wire";
import type { ChatView } from "./view";

const STEP: Record<ToolCallStatus, number> = {
  planned: 0,
  requested: 1,
  running: 2,
  pending: 3,
  completed: 4,
  failed: 4,
  cancelled: 4,
};

/** The steps of a call that has paused, from there to where it pauses again. */
const AGAIN: Partial<Record<ToolCallStatus, number>> = { pending: 0, planned: 1, requested: 2, running: 3 };
const ROUND = 10;

/**
 * Where a call stands. One that needs a yes waits before it is asked for, and goes on from there when it has it; one
 * that has paused is asked for again.
 */
function stepOf(call: ToolCall): number {
  const { status, show, request_address } = call;
  if (STEP[status] === STEP.completed) return Number.POSITIVE_INFINITY;
  const round = roundOf(call);
  if (round > 0) return ROUND * round + (AGAIN[status] ?? 0);
  const early = show?.kind === "approval" && request_address === null;
  if (early && status === "pending") return 0.3;
  return early && status === "planned" ? 0.6 : STEP[status];
}

/** True for an event from before the newest request of its call: what it did has been done. */
export function isOld(call: ToolCall | undefined, sequence: number): boolean {
  return !!call?.request_address && sequence <= placeOf(call.request_address);
}

/** True while the call has no ending. */
export function isOpen(call: ToolCall): boolean {
  return STEP[call.status] < STEP.completed;
}

/** False for the claim of a run that is over: the call has paused since, or been asked for again. */
export function canBeClaimed(call: ToolCall | undefined, sequence: number): boolean {
  if (!call || isOld(call, sequence)) return false;
  return roundOf(call) === 0 || call.status === "requested";
}

/** Apply `change` to a call if it leads forward from where the call stands and is at most `from`. */
export function advance(
  view: ChatView,
  callId: string,
  change: Partial<ToolCall> & { status: ToolCallStatus },
  from: ToolCallStatus = "pending",
): ChatView {
  const call = view.calls[callId];
  if (!call) return view;
  const changed = { ...call, ...change };
  const standsAt = roundOf(call) > 0 ? STEP[call.status] : stepOf(call);
  if (stepOf(changed) <= stepOf(call) || standsAt > STEP[from]) return view;
  return { ...view, calls: { ...view.calls, [callId]: changed } };
}

/** A call as the model asked for it; one refused or answered before it ran is over at once. */
export function planned(
  asked: ResolvedCall,
  modelCallId: string,
  { sequence, time }: { sequence: number; time: string },
): ToolCall {
  const answered = asked.result ?? null;
  const status = asked.error ? "failed" : answered === null ? "planned" : "completed";
  const isOver = status !== "planned";
  return {
    call_id: asked.call_id,
    model_call_id: modelCallId,
    tool: asked.tool,
    arguments: asked.arguments ?? {},
    as_sent: asked.as_sent ?? {},
    status,
    effect: asked.effect ?? "pure",
    runs_on: asked.runs_on ?? "tools",
    result: answered,
    error: asked.error ?? null,
    show: null,
    excerpt: null,
    outside: [],
    runner: null,
    attempt: null,
    duration_ms: null,
    request_address: null,
    result_address: isOver ? addressOf(sequence) : null,
    requested_at: null,
    finished_at: isOver ? time : null,
  };
}

/** Add calls that are not known yet, by their keys. */
export function withCalls(view: ChatView, calls: readonly [key: string, call: ToolCall][]): ChatView {
  const fresh = calls.filter(([key]) => !view.calls[key]);
  return fresh.length ? { ...view, calls: { ...view.calls, ...Object.fromEntries(fresh) } } : view;
}
