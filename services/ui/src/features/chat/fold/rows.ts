/** Which things of a conversation are in the document. */
import type { TranscriptItem } from "./transcript";

/**
 * The indexes from `first` to `last`, and of all others what a person may be filling in: a question or a form that
 * waits keeps what was written there.
 */
export function staysMounted(items: readonly TranscriptItem[], first: number, last: number): number[] {
  const indexes: number[] = [];
  for (const [index, item] of items.entries())
    if ((index >= first && index <= last) || isOpen(item)) indexes.push(index);
  return indexes;
}

function isOpen(item: TranscriptItem): boolean {
  if (item.kind === "user") return item.editing;
  const waits = item.kind === "question" || item.kind === "shown" || item.kind === "handOver";
  return waits && item.call.status === "pending";
}

/** Where a message stands: its own row, or the folded one that it is in. -1: nowhere. */
export function indexOf(items: readonly TranscriptItem[], sequence: number): number {
  return items.findIndex((item) => holds(item, sequence));
}

function holds(item: TranscriptItem, sequence: number): boolean {
  if ("message" in item && item.message.sequence === sequence) return true;
  return "items" in item && item.items.some((inner) => holds(inner, sequence));
}
