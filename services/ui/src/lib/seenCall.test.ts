import { expect, test } from "vitest";
import { seenCall } from "./seenCall";

test("a call with everything is read whole", () => {
  const tool = { function: { name: "get_state", description: "Reads.", parameters: { type: "object" } } };
  const call = { id: "c1", function: { name: "get_state", arguments: '{"key":"a"}' } };
  const seen = seenCall({
    call_id: "m1",
    parts: [
      { kind: "system", name: "prompt", text: "Be brief." },
      { kind: "message", sequence: 5, count: 1 },
      { kind: "summary", hides: [2, 3], count: 1 },
      { kind: "added", name: "warning", count: 1 },
    ],
    requested_sequence: 7,
    requested_at: "2025-01-06T12:00:00Z",
    request: {
      model: "demo",
      messages: [{ role: "assistant", content: null, tool_calls: [call] }],
      tools: [tool],
    },
    answer: {
      text: "Hi",
      usage: { input: 3, output: 1, cached_input: 2 },
      latency_ms: 12,
      tool_calls: [{ tool: "get_state" }],
      tried: [
        { model: "openai/a", server: "openai", kind: "overloaded", message: "its server failed (503)" },
      ],
    },
    error: null,
  });
  expect(seen.request?.messages).toEqual([
    { role: "assistant", content: null, calls: [{ id: "c1", name: "get_state", arguments: '{"key":"a"}' }] },
  ]);
  expect(seen.parts).toEqual([
    { kind: "system", name: "prompt", text: "Be brief." },
    { kind: "message", sequence: 5, count: 1 },
    { kind: "summary", hides: [2, 3], count: 1 },
    { kind: "added", name: "warning", count: 1 },
  ]);
  expect(seen.request?.tools).toEqual([tool.function]);
  expect(seen.answer).toEqual({
    text: "Hi",
    usage: { input: 3, output: 1, cached: 2 },
    latencyMs: 12,
    tools: ["get_state"],
  });
  expect(seen.tried).toEqual([
    {
      model: "openai/a",
      server: "openai",
      kind: "overloaded",
      message: "its server failed (503)",
      key: 0,
      keys: 0,
    },
  ]);
});

test("a call that was never sent has no request, and strange members are taken for empty", () => {
  expect(seenCall({ request: null, answer: [], error: { kind: "timeout", message: 7 } })).toEqual({
    callId: "",
    number: 0,
    parts: [],
    requestedSequence: 0,
    requestedAt: "",
    request: null,
    answer: null,
    error: { kind: "timeout", message: "" },
    tried: [],
  });
});
