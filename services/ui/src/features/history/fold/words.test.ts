import { expect, test } from "vitest";
import type { TimelineEvent } from "../../../lib/wire";
import { about, happened, modelCallOf, tone } from "./words";

const happening = (type: string, change: Partial<TimelineEvent> = {}): TimelineEvent => ({
  sequence: 1,
  type,
  time: null,
  actor: null,
  call_id: null,
  tool: null,
  number: null,
  text: "",
  problem: null,
  hidden_by: null,
  ...change,
});

test("events are told in words", () => {
  expect(happened(happening("tool_call_failed"))).toBe("Tool failed");
  expect(about(happening("tool_call_failed", { tool: "fetch_url", text: "not\n found" }))).toBe(
    "fetch_url: not found",
  );
  expect(about(happening("rolled_back", { text: "12" }))).toBe("to event 12");
  expect(about(happening("model_call_requested", { number: 3 }))).toBe("call 3");
  expect(about(happening("model_call_completed"))).toBe("asks for tools");
});

test("a type of a later version is shown by its own name", () => {
  expect(happened(happening("page_turned"))).toBe("page turned");
});

test("problems and what was said stand out", () => {
  expect(["failed", "user_message", "turn_started"].map((type) => tone(happening(type)))).toEqual([
    "problem",
    "said",
    "plain",
  ]);
});

test("of a model call one can look at what it saw", () => {
  expect(modelCallOf(happening("model_call_failed", { call_id: "m1" }))).toBe("m1");
  expect(modelCallOf(happening("tool_call_failed", { call_id: "m1-00" }))).toBeNull();
});

test("a message that isn't an event is told as skipped, with why", () => {
  const skipped = happening("model_call_completed", { problem: "it has no ce-type", call_id: "m1" });
  expect(happened(skipped)).toBe("Skipped");
  expect(about(skipped)).toBe("not an event: it has no ce-type");
  expect(tone(skipped)).toBe("problem");
  expect(modelCallOf(skipped)).toBeNull();
});
