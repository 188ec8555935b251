/** What is to be in sight when a chat opens next: asked for by whoever leads there. */

let wanted: { sessionId: string; from: number } | null = null;

/** When this chat opens, show where it goes on from the place `from`. */
export function revealSoon(sessionId: string, from: number): void {
  wanted = { sessionId, from };
}

/** The place that this chat is to show; it is asked for once. */
export function revealed(sessionId: string): number | null {
  if (wanted?.sessionId !== sessionId) return null;
  const { from } = wanted;
  wanted = null;
  return from;
}
