/** What a model saw and said, as the engine rebuilds it. */
import { request } from "../../../lib/http";
import type { TokenUsage } from "../../../lib/wire";

export interface SentMessage {
  role: string;
  content?: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

export interface SeenCall {
  number: number;
  requested_sequence: number;
  requested_at: string;
  request: {
    model: string;
    messages: SentMessage[];
    tools: { function: { name: string; description?: string; parameters?: unknown } }[];
  } | null;
  answer: { text: string; usage: TokenUsage; latency_ms: number; tool_calls?: { tool: string }[] } | null;
  error: { kind: string; message: string } | null;
}

export function seenCall(sessionId: string, callId: string, signal: AbortSignal): Promise<SeenCall> {
  return request(`/sessions/${encodeURIComponent(sessionId)}/model-calls/${encodeURIComponent(callId)}`, {
    signal,
  });
}
