import { expect, test } from "vitest";
import { answer, event, message, page, session } from "../../../testing/given";
import { evolve } from "./evolve";
import { opened } from "./page";

const TURN = [
  event(2, "user_message", { text: "Hello" }),
  event(3, "turn_started", {}),
  event(4, "model_call_requested", { call_id: "m1", joins: [2] }),
  event(5, "model_call_completed", answer("m1", "Hi!")),
];
const ratingOf = (view: ReturnType<typeof opened>, place: number) =>
  view.messages.find(({ sequence }) => sequence === place)?.rating;

test("the newest rating of an answer counts, until it is taken back", () => {
  const rated = [...TURN, event(6, "feedback", { answer: "5", rating: "down", text: "Too short" })].reduce(
    evolve,
    opened(session(), page()),
  );
  expect(ratingOf(rated, 5)).toEqual({ value: "down", text: "Too short" });
  const better = evolve(rated, event(7, "feedback", { answer: "5", rating: "up" }));
  expect(ratingOf(better, 5)).toEqual({ value: "up", text: null });
  expect(ratingOf(evolve(better, event(6, "feedback", { answer: "5", rating: "down" })), 5)?.value).toBe(
    "up",
  );
  expect(ratingOf(evolve(better, event(8, "feedback", { answer: "5" })), 5)).toBeNull();
});

test("only an answer of this session is rated", () => {
  const view = TURN.reduce(evolve, opened(session(), page()));
  expect(ratingOf(evolve(view, event(6, "feedback", { answer: "2", rating: "up" })), 2)).toBeNull();
});

test("a page brings the ratings of its answers", () => {
  const loaded = { ...message(5, "assistant", "Hi!"), rating: "up" as const, rating_text: "Quick" };
  expect(ratingOf(opened(session(), page([loaded])), 5)).toEqual({ value: "up", text: "Quick" });
});
