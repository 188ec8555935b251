/** Events as the stream tells them, with the rows that the gateway has after each. */
import { addressOf, recordOf } from "../lib/address";
import type { LogEvent, Message, RowChange, Session, SessionRow, ToolCall } from "../lib/wire";
import { answer, event, message, SESSION_ID, type SessionKind, session, toolCall } from "./given";

interface Rows {
  session?: Partial<Session>;
  messages?: Message[];
  calls?: ToolCall[];
}

/** The event with rows: of its session, and of its messages and calls. */
export function withRows(
  told: LogEvent,
  { session: change = {}, messages = [], calls = [] }: Rows,
): LogEvent {
  const id = told.session_id ?? SESSION_ID;
  const row = session({
    ...{
      id,
      agent_id: told.agent_id ?? "main",
      last_sequence: recordOf(told.sequence),
      updated_at: told.time,
    },
    ...{
      failed_turn: null,
      queued: [],
      open_model_call: null,
      cut_model_call: null,
      newest_model_call: null,
    },
    ...change,
  }) as SessionRow;
  const rows: RowChange[] = [
    { table: "sessions", key: [id], row },
    ...messages.map((one): RowChange => ({ table: "messages", key: [id, one.address], row: one })),
    ...calls.map((one): RowChange => ({ table: "tool_calls", key: [id, one.call_id], row: one })),
  ];
  return { ...told, rows };
}

/** The rows of an event where the session's comes with a later one. */
export function besidesTheSession({ rows }: LogEvent): RowChange[] {
  return (rows ?? []).filter((row) => row.table !== "sessions") as RowChange[];
}

/** Something that happened which changes only the session. */
export const happens = <Name extends SessionKind>(
  sequence: number,
  kind: Name,
  body: Parameters<typeof event<Name>>[2],
  change: Partial<Session> = {},
) => withRows(event(sequence, kind, body), { session: change });

/** A person says something, which no model call has read yet. */
export const says = (sequence: number, text: string, change: Partial<Session> = {}) =>
  withRows(event(sequence, "user_message", { text }), {
    session: { status: "running", queued: [addressOf(sequence)], ...change },
    messages: [message(sequence, "user", text)],
  });

/** A model is asked: it reads everything. */
export const asks = (sequence: number, call_id: string, change: Partial<Session> = {}) =>
  happens(
    sequence,
    "model_call_requested",
    { call_id },
    { status: "running", open_model_call: call_id, newest_model_call: call_id, ...change },
  );

/** It answers, and asks for tools. */
export function answers(
  sequence: number,
  call_id: string,
  text: string,
  tools: (Partial<ToolCall> & { tool: string })[] = [],
  change: Partial<Message> = {},
) {
  const calls = tools.map((one, index) =>
    toolCall({
      ...{
        call_id: `${call_id}-0${index}`,
        model_call_id: call_id,
        arguments: {},
        status: "planned",
        result: null,
      },
      ...{ request_address: null, result_address: null, requested_at: null, finished_at: null, ...one },
    }),
  );
  const said = {
    ...message(sequence, "assistant", text, calls),
    model_call_id: call_id,
    model: "demo",
    ...change,
  };
  return withRows(event(sequence, "model_call_completed", answer(call_id, text)), {
    session: { status: "running", newest_model_call: call_id, usage: { input: 10, output: 2, tokens: 12 } },
    messages: [said],
    calls,
  });
}

/** The session has nothing more to do. */
export const rests = (sequence: number, change: Partial<Session> = {}) =>
  happens(sequence, "became_idle", {}, { status: "idle", ...change });

/** A turn up to where the model is asked. */
export const TURN = [
  says(2, "Hello"),
  happens(3, "turn_started", {}, { status: "running", queued: ["2"] }),
  asks(4, "m1"),
];
