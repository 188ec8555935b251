import { expect, test } from "vitest";
import { message, page, session } from "../../../testing/given";
import { opened } from "./page";

const ratingOf = (view: ReturnType<typeof opened>, place: number) =>
  view.messages.find(({ sequence }) => sequence === place)?.rating;

test("a page brings the ratings of its answers", () => {
  const loaded = { ...message(5, "assistant", "Hi!"), rating: "up" as const, rating_text: "Quick" };
  expect(ratingOf(opened(session(), page([loaded])), 5)).toEqual({ value: "up", text: "Quick" });
});
