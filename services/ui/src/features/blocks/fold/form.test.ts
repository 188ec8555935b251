import { expect, test } from "vitest";
import type { Field } from "./blocks";
import { beginning, dataOf, fieldAt, filled, flaws, type Values } from "./form";

const field = (name: string, type: Field["type"], more: Partial<Field> = {}): Field => ({
  name,
  type,
  label: name,
  options: null,
  required: false,
  default: null,
  ...more,
});
const FIELDS = [
  field("who", "text", { required: true, default: "Ada" }),
  field("nights", "number", { required: true }),
  field("room", "select", { options: ["single", "double"] }),
  field("agree", "checkbox", { required: true }),
  field("from", "date"),
  field("notes", "textarea"),
];
const SCHEMA = {
  type: "object",
  properties: {
    who: { type: "string", maxLength: 2000, minLength: 1 },
    nights: { type: "number" },
    room: { type: "string", enum: ["single", "double"] },
    agree: { type: "boolean", const: true },
    from: { type: "string", format: "date", pattern: "^\\d{4}-\\d{2}-\\d{2}$" },
    notes: { type: "string", maxLength: 5 },
  },
  required: ["who", "nights", "agree"],
  additionalProperties: false,
};
const wrong = (values: Values) => flaws(FIELDS, SCHEMA, dataOf(FIELDS, values));

test("a form begins with its defaults", () => {
  expect(beginning(FIELDS)).toEqual(["Ada", "", "", false, "", ""]);
});

test("what is left empty is left out, a number is one, a tick is always told", () => {
  expect(dataOf(FIELDS, ["Ada", " 2.5 ", "", true, "", ""])).toEqual({
    who: "Ada",
    nights: 2.5,
    agree: true,
  });
  expect(dataOf(FIELDS, ["Ada", "three", "", false, "", ""])).toMatchObject({
    nights: "three",
    agree: false,
  });
});

test("what fits has no flaws", () => {
  expect(wrong(["Ada", "3", "double", true, "2028-02-29", "short"])).toEqual({});
});

test.each<[string, Values, number]>([
  ["a text is missing", ["", "3", "", true, "", ""], 0],
  ["a number is missing", ["Ada", "", "", true, "", ""], 1],
  ["a number is none", ["Ada", "three", "", true, "", ""], 1],
  ["a number is infinite", ["Ada", "1e999", "", true, "", ""], 1],
  ["an option isn't one", ["Ada", "3", "suite", true, "", ""], 2],
  ["what must be ticked isn't", ["Ada", "3", "", false, "", ""], 3],
  ["there is no such day", ["Ada", "3", "", true, "2026-02-30", ""], 4],
  ["a text is too long", ["Ada", "3", "", true, "", "longer"], 5],
])("%s", (_, values, at) => {
  expect(Object.keys(wrong(values))).toEqual([String(at)]);
});

test("what the gateway says is wrong is found at its field", () => {
  const odd = [...FIELDS, field("a/b~", "text")];
  expect(fieldAt(odd, "/data/nights")).toBe(1);
  expect(fieldAt(odd, "/data/a~1b~0")).toBe(6);
  expect([fieldAt(odd, "/data/none"), fieldAt(odd, "/action"), fieldAt(odd, null)]).toEqual([
    null,
    null,
    null,
  ]);
});

test("a field may have any name", () => {
  const fields = [field("__proto__", "text"), field("constructor", "text", { required: true })];
  const schema = {
    properties: JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}'),
    required: ["constructor"],
  };
  expect(Object.entries(dataOf(fields, ["x", "y"]))).toEqual([
    ["__proto__", "x"],
    ["constructor", "y"],
  ]);
  expect(flaws(fields, schema, dataOf(fields, ["x", ""]))).toEqual({ 1: "Fill this in." });
});

test("what was submitted can be read in the form", () => {
  expect(filled(FIELDS, { who: "Bo", nights: 2, agree: true })).toEqual(["Bo", "2", "", true, "", ""]);
});
