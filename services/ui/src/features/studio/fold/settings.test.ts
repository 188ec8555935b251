import { expect, test } from "vitest";
import type { Setting } from "../../../lib/wire";
import { pricesIn, pricesText, valuesOf } from "./settings";

function setting(name: string, form: Setting["form"], own: unknown = null): Setting {
  return {
    ...{ name, form, group: "limits", variable: name, choices: [], may_be_empty: false },
    ...{ meaning: "", allowed: "", value: own, is_set: true, source: "default", origin: null, locked: false },
    own:
      own === null
        ? null
        : {
            ...{ value: own, version: 1, sequence: 1, written_at: null, actor: null },
            ...{ session_id: null, call_id: null },
          },
    below: { value: null, is_set: false, source: "default" },
  };
}

test("only what differs is sent; an emptied field is taken back, an untouched one is not", () => {
  const all = [
    setting("a", "number", 5),
    setting("b", "number", 6),
    setting("c", "text", "x"),
    setting("d", "text"),
  ];
  expect(valuesOf(all, { a: " 5 ", b: "7", c: "", d: "" })).toEqual({ b: 7, c: null });
});

test("what is no number is sent as it is typed: the server says what is wrong with it", () => {
  expect(valuesOf([setting("a", "number")], { a: "many" })).toEqual({ a: "many" });
});

test("what the environment says is never sent", () => {
  expect(valuesOf([{ ...setting("a", "number"), locked: true }], { a: "5" })).toEqual({});
});

test("prices are lines of a model and its figures, and the same again", () => {
  const prices = { "openai/x": { input: 1, output: 4 }, "own/y": { input: 1, output: 4, cached_input: 0.1 } };
  expect(pricesText(prices)).toBe("openai/x 1 4\nown/y 1 4 0.1");
  expect(pricesIn(pricesText(prices))).toEqual(prices);
  expect(pricesIn("\n m  x 1 \n")).toEqual({ m: { input: "x", output: 1 } });
});
