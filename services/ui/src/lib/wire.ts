/** What the gateway answers. Times are RFC 3339 in UTC, sequences are positions in the log, tokens are counts. */
import type { Effect, EventBodies, Excerpt, RunsOn, ToolError } from "../contracts/events";

export type SessionStatus =
  | "idle"
  | "running"
  | "waiting_for_input"
  | "token_limit_reached"
  | "completed"
  | "error";

export type ToolCallStatus =
  | "planned"
  | "requested"
  | "running"
  | "pending"
  | "completed"
  | "failed"
  | "cancelled";

export interface TokenUsage {
  input: number;
  output: number;
  cached_input?: number;
}

export interface SessionChild {
  id: string;
  title: string | null;
  status: SessionStatus;
}

export interface SessionError {
  kind: string;
  message: string;
}

export interface Session {
  id: string;
  agent_id: string;
  title: string | null;
  status: SessionStatus;
  model: string | null;
  parent_id: string | null;
  depth: number;
  token_limit: number;
  usage: TokenUsage;
  open_calls?: ToolCall[];
  children?: SessionChild[];
  error: SessionError | null;
  created_at: string;
  updated_at: string;
  last_sequence: number;
}

export interface ToolCall {
  call_id: string;
  model_call_id: string | null;
  tool: string;
  arguments: Record<string, unknown>;
  status: ToolCallStatus;
  effect: Effect | null;
  runs_on: RunsOn | null;
  result: unknown;
  error: ToolError | null;
  /** What a pausing call puts before the user. */
  show: Record<string, unknown> | null;
  excerpt: Excerpt | null;
  runner: string | null;
  attempt: number | null;
  duration_ms: number | null;
  requested_sequence: number | null;
  result_sequence: number | null;
  requested_at: string | null;
  finished_at: string | null;
}

export type MessageRole = "user" | "assistant" | "error";

export interface Message {
  sequence: number;
  role: MessageRole;
  text: string;
  time: string;
  model_call_id: string | null;
  model: string | null;
  usage: TokenUsage | null;
  files: string[];
  tool_calls: ToolCall[];
  /** Why the session did not take this message. */
  refused?: string | null;
  error_kind?: string | null;
}

/** A page of messages, oldest first. `before` fetches the page before it, `sequence` is how far the page has read. */
export interface MessagePage {
  messages: Message[];
  before: number | null;
  sequence: number;
}

export interface SessionPage {
  sessions: Session[];
  next_cursor: string | null;
}

/** Where an accepted write stands in the log. */
export interface Accepted {
  event_id: string;
  sequence: number;
}

interface Envelope {
  sequence: number;
  session_id: string | null;
  agent_id: string;
  time: string;
  actor: "user" | "agent" | "service";
  causation: number | null;
  event_id: string;
}

/** An event of the log: `type` tells which body it has. Types that this version doesn't know also arrive. */
export type LogEvent = {
  [Type in keyof EventBodies]: Envelope & { type: Type; body: EventBodies[Type] };
}[keyof EventBodies];
