import { expect, test } from "vitest";
import { page, session } from "../../../testing/given";
import { answers, asks, rests, says } from "../../../testing/rows";
import { announcement } from "./announcement";
import { opened, withChanged, withEarlier } from "./page";

const running = () => withChanged(opened(session(), page()), asks(2, "m1"));

test("a finished answer is read out", () => {
  const before = running();
  expect(announcement(before, withChanged(before, answers(3, "m1", "Hi!")))).toBe("Agent: Hi!");
});

test("what the model thought is not read out", () => {
  const before = running();
  const thinking = { thinking: { text: "Hm, a canary" } };
  expect(announcement(before, withChanged(before, answers(3, "m1", "Hi!", [], thinking)))).toBe("Agent: Hi!");
  expect(announcement(before, withChanged(before, answers(3, "m1", "", [], thinking)))).toBeNull();
});

test("earlier messages that were loaded are not read out", () => {
  const before = withChanged(running(), answers(3, "m1", "Hi!"));
  expect(announcement(before, withEarlier(before, page([])))).toBeNull();
});

test("what the user wrote is not read back", () => {
  const before = running();
  expect(announcement(before, withChanged(before, says(3, "Me")))).toBeNull();
});

test("Stop is confirmed", () => {
  const before = running();
  expect(announcement(before, withChanged(before, rests(3)))).toBe("Stopped.");
});

test("the end of an answered turn is not taken for a stop", () => {
  const answered = withChanged(running(), answers(3, "m1", "Hi!"));
  expect(announcement(answered, withChanged(answered, rests(4)))).toBeNull();
});
