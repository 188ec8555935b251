/** What can be done with a place in a session, offered by every list of messages or events. */

/** A place in the log: of this session, the moment after event `at`. */
export interface Place {
  sessionId: string;
  at: number;
}

export interface Rewinding {
  /** Ask what going back there would undo, and whether to. `undoes` is the rollback that this takes back. */
  rewind(place: Place, undoes?: number): void;
  /** Ask what to begin another session with, from there. */
  fork(place: Place, message: string): void;
  /** Have the model answer once more, in a fork. */
  again(place: Place): void;
  /** Go to what the model saw in a call. */
  seen(sessionId: string, callId: string): void;
}
