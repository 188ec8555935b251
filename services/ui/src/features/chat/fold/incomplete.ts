/** Answers that are not whole: broken off, ended early by the provider, or empty. */
import type { Message } from "../../../lib/wire";

export type Incomplete = NonNullable<Message["incomplete"]>;

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
