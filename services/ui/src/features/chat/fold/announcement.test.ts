import { expect, test } from "vitest";
import { answer, event, page, session } from "../../../testing/given";
import { announcement } from "./announcement";
import { evolve } from "./evolve";
import { opened, withEarlier } from "./page";

const running = () => evolve(opened(session(), page()), event(2, "model_call_requested", { call_id: "m1" }));

test("a finished answer is read out", () => {
  const before = running();
  expect(announcement(before, evolve(before, event(3, "model_call_completed", answer("m1", "Hi!"))))).toBe(
    "Agent: Hi!",
  );
});

test("what the model thought is not read out", () => {
  const before = running();
  const thought = { ...answer("m1", "Hi!"), thinking: { text: "Hm, a canary" } };
  expect(announcement(before, evolve(before, event(3, "model_call_completed", thought)))).toBe("Agent: Hi!");
  const only = { ...answer("m1", ""), thinking: { text: "Hm, a canary" } };
  expect(announcement(before, evolve(before, event(3, "model_call_completed", only)))).toBeNull();
});

test("earlier messages that were loaded are not read out", () => {
  const before = evolve(running(), event(3, "model_call_completed", answer("m1", "Hi!")));
  expect(announcement(before, withEarlier(before, page([])))).toBeNull();
});

test("what the user wrote is not read back", () => {
  const before = running();
  expect(announcement(before, evolve(before, event(3, "user_message", { text: "Me" })))).toBeNull();
});

test("Stop is confirmed", () => {
  const before = running();
  expect(announcement(before, evolve(before, event(3, "became_idle", { reason: "interrupted" })))).toBe(
    "Stopped.",
  );
});

test("the end of an answered turn is not taken for a stop", () => {
  const answered = evolve(running(), event(3, "model_call_completed", answer("m1", "Hi!")));
  expect(
    announcement(answered, evolve(answered, event(4, "became_idle", { reason: "answered" }))),
  ).toBeNull();
});
