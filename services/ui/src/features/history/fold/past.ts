/** A session's fold at one event, as the chat's parts draw it. */
import { recordOf } from "../../../lib/address";
import { sourcesOf } from "../../../lib/outside";
import type {
  FoldedCall,
  FoldedMessage,
  SentFile,
  SessionView,
  TimelineRow,
  ToolCall,
} from "../../../lib/wire";

export interface PastMessage {
  sequence: number;
  role: "user" | "assistant";
  text: string;
  /** The files that came with it, as they were then. */
  files: readonly SentFile[];
  calls: readonly ToolCall[];
  /** The other service that said it. */
  wokenBy: string | null;
  /** The program that said it by MCP, in the user's name. */
  client: string | null;
  /** It waited to be read then. */
  queued: boolean;
}

/** The conversation as it was, oldest first. */
export function conversation(state: SessionView): PastMessage[] {
  const read = state.messages.map((message) => past(message, false));
  return [...read, ...state.queue.map((message) => past(message, true))];
}

/** True for the message that a row of the timeline is about. */
export function isOfRow({ sequence, role }: PastMessage, row: TimelineRow): boolean {
  if (role === "user") return row.call_id === null && recordOf(row.place) === sequence;
  return row.type.startsWith("model_call_") && row.endPlace !== null && recordOf(row.endPlace) === sequence;
}

function past(message: FoldedMessage, queued: boolean): PastMessage {
  const { sequence, role, text, files, tool_calls, woken_by: wokenBy = null, client = null } = message;
  return { sequence, role, text, files, wokenBy, client, queued, calls: tool_calls.map(call) };
}

function call(folded: FoldedCall): ToolCall {
  const { call_id, tool, status, runs_on, effect, requested, result, error, excerpt, outside, show } = folded;
  return {
    call_id,
    tool,
    status,
    runs_on,
    effect,
    arguments: folded.arguments,
    as_sent: folded.as_sent ?? {},
    model_call_id: null,
    result: result ?? null,
    error: error ?? null,
    excerpt: excerpt ?? null,
    outside: sourcesOf(outside, null, null),
    show: show ?? null,
    runner: null,
    accounting: null,
    request_address: requested === null ? null : String(requested),
    result_address: null,
    requested_at: null,
    finished_at: null,
  };
}
