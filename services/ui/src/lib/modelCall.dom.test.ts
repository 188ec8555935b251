import { expect, test } from "vitest";
import { seenCall } from "./modelCall";

test("a call with everything is read whole", () => {
  const tool = { function: { name: "get_state", description: "Reads.", parameters: { type: "object" } } };
  const call = { id: "c1", function: { name: "get_state", arguments: '{"key":"a"}' } };
  const seen = seenCall({
    requested_sequence: 7,
    requested_at: "2025-01-06T12:00:00Z",
    request: {
      model: "demo",
      messages: [{ role: "assistant", content: null, tool_calls: [call] }],
      tools: [tool],
    },
    answer: {
      text: "Hi",
      usage: { input: 3, output: 1 },
      latency_ms: 12,
      tool_calls: [{ tool: "get_state" }],
    },
    error: null,
  });
  expect(seen.request?.messages).toEqual([
    { role: "assistant", content: null, calls: [{ id: "c1", name: "get_state", arguments: '{"key":"a"}' }] },
  ]);
  expect(seen.request?.tools).toEqual([tool.function]);
  expect(seen.answer).toEqual({
    text: "Hi",
    usage: { input: 3, output: 1 },
    latencyMs: 12,
    tools: ["get_state"],
  });
});

test("a call that was never sent has no request, and strange members are taken for empty", () => {
  expect(seenCall({ request: null, answer: [], error: { kind: "timeout", message: 7 } })).toEqual({
    number: 0,
    requestedSequence: 0,
    requestedAt: "",
    request: null,
    answer: null,
    error: { kind: "timeout", message: "" },
  });
});
