import { expect, test, vi } from "vitest";
import { librariesOf } from "./libraries";

const CODES: Record<string, string> = {
  sums: "exports.twice = (n) => require('base').times(2, n);",
  base: "module.exports = { times: (a, b) => a * b };",
  one: "exports.two = () => require('two').name; exports.name = 'one';",
  two: "exports.one = () => require('one').name; exports.name = 'two';",
  wrong: "throw new Error('broken')",
};
const fetched = (name: string) => {
  const code = CODES[name];
  return code === undefined ? Promise.reject(new Error(`no ${name}`)) : Promise.resolve(code);
};

test("a library that the code names is there at once, with those that it needs", async () => {
  const asked = vi.fn(fetched);
  const importModule = await librariesOf(`const { twice } = importModule("sums");`, asked);
  expect((importModule("sums") as { twice: (n: number) => number }).twice(4)).toBe(8);
  expect(asked.mock.calls.map(([name]) => name)).toEqual(["sums", "base"]);
  expect(importModule("sums")).toBe(importModule("sums"));
});

test("libraries may need each other", async () => {
  const importModule = await librariesOf("importModule('one')", fetched);
  expect((importModule("one") as { two: () => string }).two()).toBe("two");
  expect((importModule("two") as { one: () => string }).one()).toBe("one");
});

test("one that isn't there, isn't named as text, or throws, says so", async () => {
  await expect(librariesOf('importModule("none")', fetched)).rejects.toThrow("no none");
  const importModule = await librariesOf('const n = "base"; importModule(n); importModule("wrong")', fetched);
  expect(() => importModule("base")).toThrow("must name the library as a text");
  expect(() => importModule("wrong")).toThrow("broken");
});

test("React is no library of the agent", async () => {
  const asked = vi.fn(fetched);
  await librariesOf('require("react")', asked);
  expect(asked).not.toHaveBeenCalled();
});
