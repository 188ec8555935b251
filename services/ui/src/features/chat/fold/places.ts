/** Where a message begins and ends in the log: the places to go back to, or to fork at. */
import { before as momentBefore, placeOf } from "../../../lib/address";
import type { Place } from "../../../lib/rewinding";
import type { ChatMessage, ChatView } from "./view";

/** The moment before the message. */
export function before(message: ChatMessage): Place {
  return { sessionId: message.sessionId, at: momentBefore(message.sequence) };
}

/** The moment after the message and all results of the calls that it asked for, as far as they are known. */
export function after(message: ChatMessage, calls: ChatView["calls"]): Place {
  const results = message.calls.map((id) => placeOf(calls[id]?.result_address ?? "0"));
  return { sessionId: message.sessionId, at: Math.max(message.sequence, ...results) };
}

/** Where undoing a rewind leads: the moment before it. */
export function beforeRewind(sessionId: string, by: number): Place {
  return { sessionId, at: momentBefore(by) };
}
