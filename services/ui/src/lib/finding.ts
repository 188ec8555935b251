/** *Find in this chat*, asked for by a menu, a shortcut or the command palette. */
const EVENT = "foldline:find-in-chat";

export function findInChat(): void {
  window.dispatchEvent(new Event(EVENT));
}

/** Calls the listener when it is asked for; returns the way to stop. */
export function onFindInChat(listener: () => void): () => void {
  window.addEventListener(EVENT, listener);
  return () => window.removeEventListener(EVENT, listener);
}
