import { expect, test } from "vitest";
import { asWritten } from "./asWritten";

test("each argument that was taken as something else is told in both forms", () => {
  const as_sent = { count: "5", on: "true", list: '["a"]', note: null };
  expect(asWritten({ arguments: { count: 5, on: true, list: ["a"], city: "Oslo" }, as_sent })).toEqual([
    'The model wrote "5" for count; taken as 5',
    'The model wrote "true" for on; taken as true',
    'The model wrote "[\\"a\\"]" for list; taken as ["a"]',
    "The model wrote null for note; left out",
  ]);
});

test("a long value is cut, and nothing strange is shown", () => {
  const [line] = asWritten({ arguments: { a: 1 }, as_sent: { a: "x".repeat(9_000) } });
  expect(line?.length).toBeLessThan(300);
  for (const as_sent of [undefined, null, [], "5", {}]) expect(asWritten({ as_sent })).toEqual([]);
});
