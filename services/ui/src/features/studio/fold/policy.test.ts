import { expect, test } from "vitest";
import { type Condition, matchWords, plain, saidOf, withCondition } from "./policy";

const HOURS = { name: "added.hours", label: "Hours", type: "text", options: null } as Condition;
const TOOL = { name: "tool", label: "Tool", type: "text", options: null } as Condition;
const RULE = { verdict: "ask", match: { tool: "fetch_url" }, note: "" } as const;

test("a condition that an extension adds is said, shown and taken back beside others", () => {
  const said = withCondition({ ...RULE }, HOURS, "night");
  expect(said.match).toEqual({ tool: "fetch_url", added: [{ condition: "hours", value: "night" }] });
  expect(saidOf(said.match, HOURS)).toBe("night");
  expect(matchWords(said.match, [TOOL, HOURS])).toBe("tool fetch_url, hours night");
  const other = withCondition(said, HOURS, "day");
  expect(other.match.added).toEqual([{ condition: "hours", value: "day" }]);
  const without = withCondition(other, HOURS, null);
  expect(saidOf(without.match, HOURS)).toBeNull();
  expect(plain({ preset: "free", rules: [without] }).rules[0]?.match).toEqual({ tool: "fetch_url" });
});
