/** What a person can do about a turn that failed, and about a chat that takes no messages. */
import type { ModelFailure } from "../../../contracts/events";
import type { Session } from "../../../lib/wire";

const MODEL: Record<ModelFailure, string> = {
  authentication:
    "The model's provider refused the key. Set a valid key in the Studio's settings, or FOLDLINE_MODEL_API_KEY, and ask again.",
  unreachable:
    "The model's server could not be reached. Check FOLDLINE_MODEL_BASE_URL and that it is running.",
  rate_limited: "The provider's rate limit was reached. Wait a little, then try again.",
  overloaded: "The provider is overloaded. Wait a little, then try again.",
  cut_stream: "The model's answer was cut off several times. Try again.",
  malformed_answer:
    "The model's server sent something that is not an answer. Check that it is OpenAI-compatible.",
  empty_answer: "The model gave an empty answer. Retry, or say it in other words.",
  context_length: "The model's window is too small for this chat. Choose a model with a larger one.",
  bad_request: "Fix the cause above.",
  unknown_model: "The provider doesn't know this model name. Correct it in the Studio's settings.",
  timeout: "The model took too long. Try again.",
  quota_exceeded:
    "The agent reached today's log limit. It continues tomorrow (UTC), or as soon as you raise the limit.",
  budget: "The budget for models is used up. Raise it.",
  deliveries_exhausted: "The call failed on every attempt. `foldline dlq list` shows it.",
  internal: "Something in Foldline itself failed. The log of the service says more.",
};

const LOOP =
  "The agent repeated the same calls with the same results. Look at the results above and tell it what to do instead.";

/** What to do about a turn that failed; null for a kind that is not one of a turn's. */
export function modelAdvice(kind: string): string | null {
  if (kind === "loop") return LOOP;
  return kind in MODEL ? MODEL[kind as ModelFailure] : null;
}

export interface ClosedAdvice {
  tone: "danger" | "secondary" | "warning";
  title: string;
  advice: string;
  /** The limit (tokens) with which the chat can go on as it is. */
  continueWith: number | null;
  /** It can be opened again. */
  reopens: boolean;
}

/** How much further (tokens) Continue lets a chat go. */
const FURTHER = 1_000_000;

/** Why the session takes no messages and what to do; null while it does. */
export function closedAdvice(session: Session): ClosedAdvice | null {
  switch (session.status) {
    case "error": {
      const kind = session.error?.kind ?? "internal";
      const advice = modelAdvice(kind) ?? "Its history is safe. Continue in a new chat.";
      const title = "This chat ended with an error.";
      return { tone: "danger", title, advice, continueWith: null, reopens: false };
    }
    case "completed":
      if (session.parent_id) {
        const advice = "Its result went to the chat that started it. Fork it to continue from here.";
        return {
          tone: "secondary",
          title: "This sub-session has ended.",
          advice,
          continueWith: null,
          reopens: false,
        };
      }
      return {
        tone: "secondary",
        title: "This chat is archived.",
        advice: "You can read it. Reopen it to send messages to it again.",
        continueWith: null,
        reopens: true,
      };
    case "token_limit_reached":
      return {
        tone: "warning",
        title: "This chat used up its tokens.",
        advice: "Raise its limit to continue, or start a new chat.",
        continueWith: session.usage.tokens + FURTHER,
        reopens: false,
      };
    default:
      return null;
  }
}
