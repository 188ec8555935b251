/** Which messages stand together out of sight: rewound, or behind a summary. */
import { includes } from "../../../lib/address";
import type { ChatMessage } from "./view";

/** `message` is the summary itself; of what was rewound it is the first. */
export type Part =
  | { kind: "message"; message: ChatMessage }
  | { kind: "rewound"; by: number; message: ChatMessage; parts: readonly Part[] }
  | { kind: "summary"; message: ChatMessage; parts: readonly Part[] };

/**
 * The messages (by sequence, oldest first) as parts of the conversation.
 *
 * A summary stands where the messages end for which it stands, with these inside; a summary of summaries has them
 * inside too. What a rewind hid stands together.
 */
export function parts(messages: readonly ChatMessage[]): Part[] {
  const inForce = messages.filter((message) => message.shadows && message.hiddenBy === null);
  const outer = inForce.filter((one) => !inForce.some((other) => other !== one && covers(other, one)));
  const found: Part[] = [];
  let rest = messages.filter((message) => !outer.includes(message));
  for (const summary of outer) {
    const last = summary.shadows?.last ?? 0;
    const end = rest.findIndex((message) => !includes(last, place(message)));
    const upTo = end < 0 ? rest.length : end;
    const first = rest.slice(0, upTo).findIndex((message) => place(message) >= (summary.shadows?.first ?? 0));
    const from = first < 0 ? upTo : first;
    found.push(...rewound(rest.slice(0, from)));
    found.push({ kind: "summary", message: summary, parts: rewound(rest.slice(from, upTo)) });
    rest = rest.slice(upTo);
  }
  return [...found, ...rewound(rest)];
}

/** How many messages that say something stand in these parts. */
export function messagesIn(inside: readonly Part[]): number {
  return inside.reduce(
    (sum, part) =>
      sum + (part.kind === "message" ? Number(part.message.role !== "summary") : messagesIn(part.parts)),
    0,
  );
}

/** A summary's place is the end of what it stands for, not where it was written. */
function place(message: ChatMessage): number {
  return message.shadows?.last ?? message.sequence;
}

function covers(one: ChatMessage, other: ChatMessage): boolean {
  if (!one.shadows || !other.shadows) return false;
  if (one.shadows.first > other.shadows.first || one.shadows.last < other.shadows.last) return false;
  return one.sequence > other.sequence;
}

function rewound(messages: readonly ChatMessage[]): Part[] {
  const found: Part[] = [];
  let inside: Part[] = [];
  let open: number | null = null;
  for (const message of messages) {
    const part: Part = { kind: "message", message };
    const by = message.hiddenBy;
    if (by === null) found.push(part);
    else if (by === open) inside.push(part);
    else {
      inside = [part];
      found.push({ kind: "rewound", by, message, parts: inside });
    }
    open = by;
  }
  return found;
}
