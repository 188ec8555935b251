/** Which key asks for what. Keys alone count only where nobody writes; that is for the caller to say. */

/** What can be asked by a key. */
export type Asked =
  | "palette"
  | "sheet"
  | "new"
  | "inbox"
  | "studio"
  | "search"
  | "find"
  | "write"
  | "later"
  | "earlier";

export interface Shortcut {
  asked: Asked;
  /** As it stands on the key. */
  key: string;
  /** Together with Ctrl, or with ⌘ on a Mac: such a key counts while one writes, too. */
  mod?: true;
  words: string;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { asked: "palette", key: "K", mod: true, words: "Go anywhere, do anything: the command palette" },
  { asked: "new", key: "N", words: "Begin a new chat" },
  { asked: "write", key: "M", words: "Write a message" },
  { asked: "search", key: "/", words: "Search the chats" },
  { asked: "find", key: "F", words: "Find in this chat" },
  { asked: "later", key: "K", words: "Go to the chat above, in the list" },
  { asked: "earlier", key: "J", words: "Go to the chat below, in the list" },
  { asked: "inbox", key: "I", words: "See what waits for you" },
  { asked: "studio", key: "S", words: "Open the studio" },
  { asked: "sheet", key: "?", words: "Show these shortcuts" },
];

/** The part of a keyboard event that says which keys are down. */
export type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** What the pressed keys ask for; null: nothing of ours. `alone`: whether a key without Ctrl or ⌘ counts. */
export function askedBy(pressed: Pressed, mac: boolean, alone: boolean): Asked | null {
  const mod = mac ? pressed.metaKey && !pressed.ctrlKey : pressed.ctrlKey && !pressed.metaKey;
  const plain = !pressed.ctrlKey && !pressed.metaKey;
  if (pressed.altKey || (!mod && !(plain && alone))) return null;
  const key = pressed.key.toUpperCase();
  return SHORTCUTS.find((one) => one.key === key && Boolean(one.mod) === mod)?.asked ?? null;
}

/** The keys as they stand on the keyboard. */
export function keysOf({ key, mod }: Shortcut, mac: boolean): readonly string[] {
  return mod ? [mac ? "⌘" : "Ctrl", key] : [key];
}

/** The session above or below another in the list; null at its end, or where there is no list. */
export function besides(ids: readonly string[], current: string | null, step: 1 | -1): string | null {
  const at = current === null ? -1 : ids.indexOf(current);
  if (at < 0) return ids[0] ?? null;
  return ids[at + step] ?? null;
}
