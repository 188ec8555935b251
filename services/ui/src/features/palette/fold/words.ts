/** What the palette says. */
import type { IconName } from "../../../components/Icon";
import type { ColourMode } from "../../../lib/hooks/useColourMode";
import type { Session } from "../../../lib/wire";

export const WORDS = {
  name: "Command palette",
  ask: "Search chats, pages and actions",
  nothing: "No match.",
  working: "Working…",
  here: "In this chat",
  general: "Do",
  chats: "Chats",
  pages: "Pages",
  agents: "Agents",
  rooms: "Studio",
  stop: "Stop the agent",
  retry: "Ask the model again",
  find: "Find in this chat",
  rewind: "Rewind: choose a moment of this chat",
  fork: "Fork: continue in a new chat from here",
  trace: "Trace: what led to what",
  exported: "Export this chat to a file",
  archive: "Archive this chat",
  reopen: "Open this chat again",
  erase: "Delete this chat…",
  created: "New chat",
  inbox: "Inbox: things that wait for you",
  notifications: "Notifications: choose how to be notified",
  shortcuts: "Keyboard shortcuts",
} as const;

export const SHEET = {
  title: "Keyboard shortcuts",
  where: "Single keys work while you are not typing, and not inside a page that an agent made.",
  on: "Use single-key shortcuts",
  escape: "Stop the agent; close the open dialog",
} as const;

export const COLOURS: readonly { mode: ColourMode; words: string; icon: IconName }[] = [
  { mode: "light", words: "Light colours", icon: "sun" },
  { mode: "dark", words: "Dark colours", icon: "moon" },
  { mode: "system", words: "Colours like the system's", icon: "system" },
];

const STATUS: Partial<Record<Session["status"], string>> = {
  running: "working",
  waiting_for_input: "waits for you",
  token_limit_reached: "token limit reached",
  completed: "archived",
  error: "ended with an error",
};

export const titleOf = ({ title }: Session): string => title ?? "New chat";

/** What is worth knowing of a session beside its title. */
export function placeOfSession({ status, parent_id: parent, agent_id: agent }: Session): string {
  const notes = [STATUS[status], parent !== null && "sub-session", agent !== "default" && agent];
  return notes.filter(Boolean).join(" · ");
}
