import { expect, test } from "vitest";
import { bodyOf, costWords, NOTHING } from "./bisection";

test("a check needs a message and what its answer must or must not have, or a function", () => {
  expect(bodyOf(NOTHING)).toBeNull();
  expect(bodyOf({ ...NOTHING, ask: "hi" })).toBeNull();
  expect(bodyOf({ ...NOTHING, ask: " hi ", expectNot: "no" })).toEqual({
    ...{ ask: "hi", expect_not: "no", regex: false, arguments: {}, token_limit: 100_000 },
  });
  expect(bodyOf({ ...NOTHING, way: "function" })).toBeNull();
  expect(bodyOf({ ...NOTHING, way: "function", name: "well", good: "12" })).toMatchObject({
    function: "well",
    good: 12,
  });
  expect(bodyOf({ ...NOTHING, ask: "hi", expect: "a", bad: "soon" })).toBeNull();
});

test("what it costs is said as far as it is known", () => {
  const cost = {
    ...{ events: 10_000, probes: 15, least_runs: 30, most_runs: 45 },
    ...{ tokens: null, cost_micros: null, most_tokens: 4_500_000 },
  };
  expect(costWords(cost)[0]).toContain("at most 15 probes, 30 to 45 runs");
  expect(costWords(cost)[1]).toContain("not known yet");
  expect(costWords({ ...cost, tokens: 90_000, cost_micros: 1_500_000 })[1]).toContain("about $1.50");
});
