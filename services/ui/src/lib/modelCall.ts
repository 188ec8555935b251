/** What a model saw and said in one call, as the engine rebuilds it. */
import { answerOf, api } from "./api";
import { count, isMembers, list, type Members, members, text } from "./shape";

export interface SentMessage {
  role: string;
  content: unknown;
  calls: { id: string; name: string; arguments: string }[];
}

export interface OfferedTool {
  name: string;
  description: string;
  parameters: unknown;
}

export interface SeenCall {
  /** Its place among the session's model calls, from 1. */
  number: number;
  requestedSequence: number;
  requestedAt: string;
  /** Null where the call has not ended, or failed before anything was sent. */
  request: { model: string; messages: SentMessage[]; tools: OfferedTool[] } | null;
  answer: {
    text: string;
    usage: { input: number; output: number };
    latencyMs: number;
    tools: string[];
  } | null;
  error: { kind: string; message: string } | null;
}

/** Ask for one call, by its id or by its number in the session. */
export async function readModelCall(sessionId: string, call: string, signal: AbortSignal): Promise<SeenCall> {
  const params = { path: { session_id: sessionId, call } };
  return seenCall(await answerOf(api.GET("/sessions/{session_id}/model-calls/{call}", { params, signal })));
}

/** Reads the engine's answer. */
export function seenCall(found: Members): SeenCall {
  const { request, answer, error } = found;
  return {
    number: count(found.number),
    requestedSequence: count(found.requested_sequence),
    requestedAt: text(found.requested_at),
    request: isMembers(request)
      ? {
          model: text(request.model),
          messages: list(request.messages).map(members).map(sent),
          tools: list(request.tools).map(members).map(offered),
        }
      : null,
    answer: isMembers(answer)
      ? {
          text: text(answer.text),
          usage: { input: count(members(answer.usage).input), output: count(members(answer.usage).output) },
          latencyMs: count(answer.latency_ms),
          tools: list(answer.tool_calls).map((one) => text(members(one).tool)),
        }
      : null,
    error: isMembers(error) ? { kind: text(error.kind), message: text(error.message) } : null,
  };
}

function sent({ role, content, tool_calls }: Members): SentMessage {
  const calls = list(tool_calls).map((one) => {
    const { id, function: asked } = members(one);
    return { id: text(id), name: text(members(asked).name), arguments: text(members(asked).arguments) };
  });
  return { role: text(role), content, calls };
}

function offered({ function: tool }: Members): OfferedTool {
  const { name, description, parameters } = members(tool);
  return { name: text(name), description: text(description), parameters };
}
