/** Everything the chat shows: the fold of the log, and what this page itself is doing. */
import type { ApprovalAnswer } from "../../../lib/approvals";
import type { Connection } from "../../../lib/live/stream";
import type { Acted, Answered } from "../../../lib/shown";
import type { Outgoing } from "../fold/outbox";
import type { Answer } from "../fold/question";
import type { ChatView } from "../fold/view";

/** An answer to a question, or to what was shown, on its way. */
export interface Answering extends Answered {
  answer: Answer | Acted | ApprovalAnswer;
}

/** Why the chat could not be read. `passes`: it is tried again by itself. */
export interface LoadFailed {
  kind: string;
  message: string;
  passes: boolean;
}

export interface ChatState {
  /** Null until the session is loaded. */
  view: ChatView | null;
  /** Why it could not be loaded. */
  failure: LoadFailed | null;
  connection: Connection;
  outbox: readonly Outgoing[];
  answering: Readonly<Record<string, Answering>>;
  earlier: "idle" | "loading" | "failed";
  stopping: boolean;
  /** A command that failed, in words. */
  notice: string | null;
}

export const CLOSED_STATE: ChatState = {
  view: null,
  failure: null,
  connection: "connecting",
  outbox: [],
  answering: {},
  earlier: "idle",
  stopping: false,
  notice: null,
};
