/** What can be done with a place in a session, offered by every list of messages or events. */

import type { LogEvent, SentFile } from "./wire";

/** True for the event by which a conversation went back: what is shown of it is read anew. */
export function hidesMessages(event: LogEvent): boolean {
  if (event.type !== "foldline.session.rewound.v1") return false;
  return (event.body.parts ?? ["conversation"]).includes("conversation");
}

/** A place in the log: of this session, the moment after event `at`. */
export interface Place {
  sessionId: string;
  at: number;
}

/** A moment of an agent: as it was after event `to`. */
export interface AgentPlace {
  agentId: string;
  to: number;
  /** The chat from which it is looked at: what others changed is marked. */
  sessionId?: string;
  /** What alone is chosen at first. */
  only?: { kind: string; name: string } | undefined;
  /** The rewind that this takes back, and the kinds that it took. */
  undoes?: { kinds: readonly string[] };
}

export interface Rewinding {
  /** Ask what would make the agent what it was, and whether to. */
  rewindAgent(place: AgentPlace): void;
  /** Ask what going back there would undo, and whether to. `undoes` is the rewind that this takes back. */
  rewind(place: Place, undoes?: number): void;
  /** Ask what to begin another session with, from there. */
  fork(place: Place, message: string, files?: readonly SentFile[]): void;
  /**
   * Go another way from there, in a fork that is then open: say this, with these files as they were, or (null) have
   * the model answer once more.
   * Rejects where no fork could be made.
   */
  vary(place: Place, said: { text: string; files: readonly SentFile[] } | null): Promise<void>;
  /** Go to what the model saw in a call. */
  seen(sessionId: string, callId: string): void;
}
