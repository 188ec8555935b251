import { expect, test } from "vitest";
import type { SessionView } from "../../../lib/wire";
import { conversation } from "./past";

const STATE = {
  session_id: "s_1",
  agent_id: "main",
  status: "running",
  token_limit: 100,
  usage: { input: 1, output: 1, tokens: 2, cached_input: 0 },
  open_calls: [],
  last_sequence: 9,
  rest_sequence: 3,
  model_calls: 1,
  messages: [
    { sequence: 2, role: "user", text: "Hi", tool_calls: [] },
    {
      sequence: 5,
      role: "assistant",
      text: "",
      tool_calls: [
        {
          call_id: "m1-00",
          tool: "set_state",
          arguments: { key: "a", count: 5 },
          as_sent: { count: "5" },
          runs_on: "tools",
          effect: "recorded",
          status: "requested",
          requested: 6,
          result: null,
        },
      ],
    },
  ],
  earlier: 0,
  queue: [{ sequence: 8, role: "user", text: "And then?", tool_calls: [] }],
} as unknown as SessionView;

test("the conversation is what had been read, and then what waited", () => {
  expect(conversation(STATE).map(({ text, queued }) => [text, queued])).toEqual([
    ["Hi", false],
    ["", false],
    ["And then?", true],
  ]);
});

test("a call stands where it stood then", () => {
  const [call] = conversation(STATE)[1]?.calls ?? [];
  expect(call).toMatchObject({ tool: "set_state", status: "requested", request_address: "6", error: null });
  expect(call).toMatchObject({ arguments: { key: "a", count: 5 }, as_sent: { count: "5" } });
});
