/** What the shell has for its pages: what they share, and what they tell it. */
import type { Attention } from "../features/attention/components/useAttention";
import type { PagesView } from "../features/pages/fold/pageList";
import type { Rewinding } from "../lib/rewinding";
import type { Session } from "../lib/wire";

/** A session just made, and where it begins in the log. */
export type Begun = Pick<Session, "id" | "last_sequence">;

export interface Desk {
  pages: PagesView | null;
  /** What waits for the person. */
  attention: Attention | null;
  rewinding: Rewinding;
  /** Move the focus to where one writes. */
  autoFocus: boolean;
  /** Text to begin a new chat with. */
  offered: { text: string } | null;
  /** A session's title, as far as it is known. */
  titleOf(sessionId: string): string | null;
  /** The event that made a session, if it was made here: reads must not be older than that. */
  createdAt(sessionId: string): number | undefined;
  onCreated(session: Begun): void;
  onSayAgain(text: string): void;
  /** What to do with a chat that a page began: it stays beside it. */
  onBegunByPage(agentId: string, name: string): (session: Begun) => void;
}
