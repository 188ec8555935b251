/** Facts to begin tests with. */
import type { EventBodies } from "../contracts/events";
import { addressOf, recordOf } from "../lib/address";
import type { LogEvent, Message, MessagePage, Session, ToolCall } from "../lib/wire";

type Kind<Type> = Type extends `foldline.session.${infer Name}.v1` ? Name : never;
export type SessionKind = Kind<keyof EventBodies>;
type BodyOf<Name extends SessionKind> = EventBodies[`foldline.session.${Name}.v1`];

export const SESSION_ID = "s_1";

/** A minute after midnight UTC for each sequence, on one day. */
export const timeOf = (sequence: number) => new Date(Date.UTC(2025, 0, 6, 12, 0, sequence)).toISOString();

/** An event of the session. */
export function event<Name extends SessionKind>(
  sequence: number,
  kind: Name,
  body: BodyOf<Name>,
  sessionId = SESSION_ID,
): LogEvent {
  return {
    address: addressOf(sequence),
    sequence,
    session_id: sessionId,
    agent_id: "main",
    type: `foldline.session.${kind}.v1`,
    time: timeOf(sequence),
    actor: "service",
    causation: null,
    event_id: `e_${sequence}`,
    body,
  } as unknown as LogEvent;
}

/** What a person says. */
export const said = (text: string, files: string[] = []) => ({ text, files });

export function session(change: Partial<Session> = {}): Session {
  return {
    id: SESSION_ID,
    agent_id: "main",
    title: "A chat",
    status: "idle",
    model: null,
    parent_id: null,
    depth: 0,
    token_limit: 1000,
    usage: { input: 0, output: 0, tokens: 0, cached_input: 0 },
    error: null,
    created_at: timeOf(1),
    active_at: timeOf(1),
    updated_at: timeOf(1),
    last_sequence: 1,
    ...change,
  };
}

export function message(
  sequence: number,
  role: Message["role"],
  text: string,
  tool_calls: ToolCall[] = [],
): Message {
  return {
    session_id: SESSION_ID,
    address: addressOf(sequence),
    sequence: recordOf(sequence),
    role,
    text,
    created_at: timeOf(sequence),
    model_call_id: null,
    model: null,
    usage: null,
    files: [],
    source: null,
    tool_calls,
    hidden_by: null,
    shadows: null,
  };
}

export function page(messages: Message[] = [], change: Partial<MessagePage> = {}): MessagePage {
  return { items: messages, next_cursor: null, sequence: 1, ...change };
}

export function toolCall(change: Partial<ToolCall> = {}): ToolCall {
  return {
    call_id: "m1-00",
    model_call_id: "m1",
    tool: "get_state",
    arguments: { key: "a" },
    status: "completed",
    effect: "pure",
    runs_on: "tools",
    result: { value: 1 },
    error: null,
    show: null,
    excerpt: null,
    outside: [],
    runner: "runner-1",
    accounting: { duration_ms: 12, attempt: 1 },
    request_address: "7",
    result_address: "9",
    requested_at: timeOf(7),
    finished_at: timeOf(9),
    ...change,
  };
}

/** A body of `model_call_completed`. */
export function answer(
  call_id: string,
  text: string,
  tools: { call_id: string; tool: string; arguments?: Record<string, unknown> }[] = [],
): BodyOf<"model_call_completed"> {
  return {
    call_id,
    text,
    model: "demo",
    context: "",
    latency_ms: 5,
    usage: { input: 10, output: 2 },
    tool_calls: tools.map((tool) => ({ provider_id: "p", ...tool })),
  };
}
