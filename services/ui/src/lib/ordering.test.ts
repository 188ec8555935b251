import { expect, test } from "vitest";
import { pressed } from "./ordering";

test("a heading sorts up, then down, then as it came", () => {
  const up = pressed(null, "n");
  const down = pressed(up, "n");
  expect([up, down, pressed(down, "n")]).toEqual([
    { column: "n", descending: false },
    { column: "n", descending: true },
    null,
  ]);
  expect(pressed(down, "a")).toEqual({ column: "a", descending: false });
});
