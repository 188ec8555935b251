/** *Find in this chat*, asked for by a menu, a shortcut or the command palette. */
const listeners = new Set<() => void>();

/** Whether a chat is in sight to look in. */
export const canFindInChat = (): boolean => listeners.size > 0;

/** Asks for it, once what it was chosen in is closed and has given the focus back. */
export function findInChat(): void {
  setTimeout(() => {
    for (const listener of [...listeners]) listener();
  });
}

/** Calls the listener when it is asked for; returns the way to stop. */
export function onFindInChat(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
