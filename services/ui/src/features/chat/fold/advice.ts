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
  cut_stream: "The model's answer broke off again and again. Try again.",
  malformed_answer:
    "The model's server sent something that is not an answer. Check that it is OpenAI-compatible.",
  empty_answer: "The model gave an empty answer. Retry, or say it in other words.",
  context_length: "The model's window is too small for this chat. Choose a model with a larger one.",
  bad_request: "The provider refused the request. The message below says why.",
  unknown_model: "The model can't be asked under this name. The message below says what to change.",
  timeout: "The model took too long. Try again.",
  quota_exceeded:
    "The agent may add no more to the log today. It goes on tomorrow (UTC), or with a higher limit.",
  budget: "What may be spent on models is used up. Raise the cap.",
  deliveries_exhausted: "The call failed each time it was tried. `foldline dlq list` shows it.",
  internal: "Something in Foldline itself failed. The log of the service says more.",
};

const LOOP =
  "The same calls gave the same each time. See above what they gave, and tell the agent what to do instead.";

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
      const advice = modelAdvice(kind) ?? "Its whole history is kept. Go on in a new chat.";
      const title = "This chat ended with an error.";
      return { tone: "danger", title, advice, continueWith: null, reopens: false };
    }
    case "completed":
      if (session.parent_id) {
        const advice = "Its result went to the chat that began it. Fork it to go on from here.";
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
        advice: "Raise its limit to go on, or begin a new chat.",
        continueWith: session.usage.input + session.usage.output + FURTHER,
        reopens: false,
      };
    default:
      return null;
  }
}
