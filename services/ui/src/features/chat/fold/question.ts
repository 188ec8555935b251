/** What an `ask_user` call asks, and what was answered. */
import type { ToolCall } from "../../../lib/wire";
import { type ChatView, pendingCalls } from "./view";

export interface Question {
  text: string;
  options: readonly string[];
}

export interface Answer {
  answer: string;
  from_options: boolean;
}

/** The kinds of what is shown that a plain message answers. */
const BY_WORDS: ReadonlySet<unknown> = new Set(["ask_user", "user_input"]);

/** The question of a call that shows one. */
export function questionOf(call: ToolCall): Question {
  const { question, options } = call.show ?? {};
  return {
    text: typeof question === "string" ? question : "",
    options: Array.isArray(options) ? options.filter((option) => typeof option === "string") : [],
  };
}

/** The question that a message to the session would answer: the session waits for it, and for nothing else. */
export function loneQuestion(view: ChatView): ToolCall | null {
  const [asked, ...others] = view.session.status === "waiting_for_input" ? pendingCalls(view) : [];
  return asked && BY_WORDS.has(asked.show?.kind) && !others.length ? asked : null;
}

/** The answer of a call that has one. */
export function answerOf(call: ToolCall): string | null {
  if (call.status !== "completed" || typeof call.result !== "object" || call.result === null) return null;
  const { answer } = call.result as { answer?: unknown };
  return typeof answer === "string" ? answer : null;
}
