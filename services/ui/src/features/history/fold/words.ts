/** Events in words, for people who don't know their types. */
import type { TimelineEvent } from "../../../lib/wire";

const WORDS: Record<string, string> = {
  created: "Chat begun",
  user_message: "You",
  tool_response: "You answered",
  reminder_due: "Reminder",
  timer_due: "Timer",
  woken: "Woken",
  outcome_settled: "You settled it",
  child_finished: "Sub-session ended",
  continued: "Limit raised",
  interrupted: "You stopped it",
  archived: "You archived it",
  reopened: "You reopened it",
  renamed: "Renamed",
  rollback_asked: "Rewind asked for",
  retry_asked: "Retry asked for",
  turn_started: "Turn begun",
  model_call_requested: "Model asked",
  model_call_completed: "Agent",
  model_call_failed: "Model failed",
  tool_call_requested: "Tool called",
  call_claimed: "Tool claimed",
  tool_call_pending: "Waits for an answer",
  tool_call_completed: "Tool done",
  tool_call_failed: "Tool failed",
  tool_call_cancelled: "Tool cancelled",
  waiting: "Waiting",
  became_idle: "Idle",
  token_limit_hit: "Token limit reached",
  completed: "Ended",
  failed: "Ended with an error",
  turn_failed: "Turn failed",
  tool_quarantined: "Tool in quarantine",
  messages_shadowed: "Summarised",
  input_refused: "Message refused",
  child_spawned: "Sub-session begun",
  forked_from: "Forked from",
  fork_made: "Forked",
  rolled_back: "Rewound",
  titled: "Titled",
};

const BAD = new Set([
  "model_call_failed",
  "tool_call_failed",
  "turn_failed",
  "tool_quarantined",
  "failed",
  "input_refused",
  "token_limit_hit",
]);
const SAID = new Set([
  "user_message",
  "model_call_completed",
  "tool_response",
  "reminder_due",
  "woken",
  "outcome_settled",
]);

/** What happened, in a word or two; a type that this version doesn't know by its own name. */
export function happened({ type, problem }: TimelineEvent): string {
  if (problem !== null) return "Skipped";
  return WORDS[type] ?? type.replaceAll("_", " ");
}

/** What it was about, in one line; empty where there is nothing to add. */
export function about(event: TimelineEvent): string {
  const { type, tool, text, number, problem } = event;
  if (problem !== null) return `not an event: ${problem}`;
  if (type === "model_call_requested") return number === null ? "" : `call ${number}`;
  if (type === "rolled_back" || type === "rollback_asked") return `to event ${text}`;
  const line = text.replace(/\s+/g, " ").trim();
  if (tool) return line ? `${tool}: ${line}` : tool;
  return line || (type === "model_call_completed" ? "asks for tools" : "");
}

/** How an event stands out in a list. */
export function tone({ type, problem }: TimelineEvent): "problem" | "said" | "plain" {
  if (problem !== null || BAD.has(type)) return "problem";
  return SAID.has(type) ? "said" : "plain";
}

/** A model call whose request can be shown: the event is of one that was asked. */
export function modelCallOf({ type, call_id: callId, problem }: TimelineEvent): string | null {
  return problem === null && type.startsWith("model_call_") ? callId : null;
}
