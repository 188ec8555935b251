import { expect, test } from "vitest";
import { type Allowance, full, spend } from "./allowance";
import { LASTS_MS, wasInPage } from "./gesture";
import { report, sourceLines, whereOf } from "./source";

test("an allowance is spent, and comes back with time", () => {
  const rate = { burst: 2, perSecond: 1 };
  let left: Allowance | null = full(rate);
  for (const now of [0, 1]) left = left && spend(left, rate, now);
  expect(left).not.toBeNull();
  const empty = left as Allowance;
  expect(spend(empty, rate, 2)).toBeNull();
  expect(spend(empty, rate, 1_100)).not.toBeNull();
  expect(spend(empty, rate, 60_000)?.left).toBe(1);
});

test("what was done in the shell is not taken for something done in a page", () => {
  const done = { active: true, focused: true, own: 0 };
  expect(wasInPage(done, LASTS_MS + 1)).toBe(true);
  expect(wasInPage({ ...done, own: 1_000 }, 1_500)).toBe(false);
  expect(wasInPage({ ...done, active: false }, LASTS_MS + 1)).toBe(false);
  expect(wasInPage({ ...done, focused: false }, LASTS_MS + 1)).toBe(false);
});

const error = { message: "boom", line: 2, column: null, stack: "" };

test("the agent is told which line of which page threw what", () => {
  const told = report({ name: "Wheel", version: 3 }, "one\n  two()\nthree", error);
  expect(told).toContain('Your page "Wheel" (version 3) threw an error (line 2): boom');
  expect(told).toContain("```jsx\n  two()\n```");
  expect(report({ name: "Wheel", version: 3 }, "one", { ...error, line: null })).toContain(
    "threw an error: boom",
  );
});

test("the wrong line is marked", () => {
  expect(sourceLines("a\nb", 2).map(({ number, wrong }) => [number, wrong])).toEqual([
    [1, false],
    [2, true],
  ]);
  expect(whereOf({ ...error, column: 7 })).toBe("line 2, column 7");
});
