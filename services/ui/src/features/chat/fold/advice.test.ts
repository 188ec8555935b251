import { expect, test } from "vitest";
import { modelAdvice } from "./advice";

test("a turn that went round says what to do, and one of no known kind says nothing", () => {
  expect(modelAdvice("loop")).toContain("tell it what to do instead");
  expect(modelAdvice("budget")).toContain("Raise it");
  expect(modelAdvice("something else")).toBeNull();
});
