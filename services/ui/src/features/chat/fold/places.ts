/** Where a message begins and ends in the log: the places to go back to, or to fork at. */
import type { Place } from "../../../lib/rewinding";
import type { ChatMessage, ChatView } from "./view";

/** The moment before the message. */
export function before(message: ChatMessage): Place {
  return { sessionId: message.sessionId, at: message.sequence - 1 };
}

/** The moment after the message and all results of the calls that it asked for, as far as they are known. */
export function after(message: ChatMessage, calls: ChatView["calls"]): Place {
  const results = message.calls.map((id) => calls[id]?.result_sequence ?? 0);
  return { sessionId: message.sessionId, at: Math.max(message.sequence, ...results) };
}

/** Where undoing a rollback leads: the moment before it. */
export function beforeRollback(sessionId: string, by: number): Place {
  return { sessionId, at: by - 1 };
}
