/** What a model saw and said in one call, as the engine rebuilds it. */
import { count, isMembers, list, type Members, members, text } from "./shape";
import type { TriedModel } from "./wire";

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

/** What a request's messages are, in order: a part of the system prompt, or the next `count` messages. */
export type SeenPart =
  | { kind: "system"; name: string; text: string }
  | { kind: "message"; sequence: number; count: number }
  | { kind: "summary"; hides: number[]; count: number }
  | { kind: "added"; name: string; count: number };

export interface SeenCall {
  callId: string;
  /** Its place among the session's model calls, from 1. */
  number: number;
  requestedSequence: number;
  requestedAt: string;
  /** Null where the call has not ended, or failed before anything was sent. */
  request: { model: string; messages: SentMessage[]; tools: OfferedTool[] } | null;
  parts: SeenPart[];
  answer: {
    text: string;
    usage: { input: number; output: number; cached: number };
    latencyMs: number;
    tools: string[];
  } | null;
  error: { kind: string; message: string } | null;
  /** The models and keys of its chain that gave no answer: before the one that did, or all. */
  tried: TriedModel[];
}

/** Reads the engine's answer. */
export function seenCall(found: Members): SeenCall {
  const { request, answer, error } = found;
  return {
    callId: text(found.call_id),
    parts: list(found.parts).map(members).map(part),
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
          usage: {
            input: count(members(answer.usage).input),
            output: count(members(answer.usage).output),
            cached: count(members(answer.usage).cached_input),
          },
          latencyMs: count(answer.latency_ms),
          tools: list(answer.tool_calls).map((one) => text(members(one).tool)),
        }
      : null,
    error: isMembers(error) ? { kind: text(error.kind), message: text(error.message) } : null,
    tried: list(members(answer ?? error ?? {}).tried)
      .map(members)
      .map(triedModel),
  };
}

function triedModel({ model, server, kind, message, key, keys }: Members): TriedModel {
  return {
    model: text(model),
    server: text(server),
    kind: text(kind) as TriedModel["kind"],
    message: text(message),
    key: count(key),
    keys: count(keys),
  };
}

function part(found: Members): SeenPart {
  const shared = { count: count(found.count) };
  switch (found.kind) {
    case "system":
      return { kind: "system", name: text(found.name), text: text(found.text) };
    case "summary":
      return { kind: "summary", hides: list(found.hides).map(count), ...shared };
    case "added":
      return { kind: "added", name: text(found.name), ...shared };
    default:
      return { kind: "message", sequence: count(found.sequence), ...shared };
  }
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
