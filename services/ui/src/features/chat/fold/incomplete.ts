/** Answers that are not whole: broken off, ended early by the provider, or empty. As the engine's fold has it. */
import type { EventBodies } from "../../../contracts/events";

type Answer = EventBodies["foldline.session.model_call_completed.v1"];

export type Incomplete = NonNullable<Answer["cut"]> | "length" | "content_filter" | "empty";

export const WHY_INCOMPLETE: Record<Incomplete, string> = {
  stopped: "Stopped. The agent keeps what it has said.",
  cancelled: "Cut off: the chat was closed.",
  token_limit: "Cut off: the chat reached its token limit.",
  failed: "Cut off: the model's server failed. Ask the agent to continue.",
  repetition: "Cut off: the model repeated itself. Ask again in other words.",
  length: "The answer reached the model's length limit. Ask it to continue.",
  content_filter: "The provider's content filter ended the answer here.",
  empty: "The model gave an empty answer. Retry, or say it in other words.",
};

const NEVER_RAN =
  "the answer was broken off here, so this call never ran: make it again if it is still needed";

/** True if there is any text, or a call. */
export function saysSomething({ text, tool_calls = [] }: Answer): boolean {
  return text.trim() !== "" || tool_calls.length > 0;
}

/** Why it is not a whole answer; null for one that is. */
export function incompleteness(answer: Answer): Incomplete | null {
  if (answer.cut) return answer.cut;
  const { finish_reason: finish } = answer;
  if (finish === "length" || finish === "content_filter") return finish;
  return saysSomething(answer) ? null : "empty";
}

/** The answer to a call that was stopped before: whole or not, nothing that it asks for is run. */
export function brokenOff(answer: Answer): Answer {
  const error = { kind: "cancelled" as const, message: NEVER_RAN };
  const tool_calls = (answer.tool_calls ?? []).map((call) => (call.error ? call : { ...call, error }));
  return { ...answer, cut: answer.cut ?? "stopped", tool_calls };
}
