import { expect, test } from "vitest";
import {
  type ArgumentField,
  argumentAt,
  effectsOf,
  exampleOf,
  fieldsOf,
  fits,
  shownIn,
  written,
} from "./testRun";

const SCHEMA = {
  type: "object",
  properties: {
    who: { type: "string", description: "Whom to greet" },
    times: { type: "integer" },
    loud: { type: "boolean" },
    tone: { enum: ["kind", 7, null] },
    more: { type: "array", items: { type: "number" } },
  },
  required: ["who"],
};
const FIELDS = fieldsOf(SCHEMA) as ArgumentField[];
const field = (name: string) => FIELDS.find((one) => one.name === name) as ArgumentField;

test("each property is a field of its kind", () => {
  expect(FIELDS.map(({ name, kind, required }) => [name, kind, required])).toEqual([
    ["who", "text", true],
    ["times", "integer", false],
    ["loud", "boolean", false],
    ["tone", "choice", false],
    ["more", "json", false],
  ]);
  expect(field("who").about).toBe("Whom to greet");
});

test("what fields can't say is for JSON", () => {
  expect(fieldsOf({ type: "object", oneOf: [{}] })).toBeNull();
  expect(fieldsOf("no schema")).toBeNull();
  expect(fits(FIELDS, { who: "a", other: 1 })).toBe(false);
  expect(fits(FIELDS, [1])).toBe(false);
  expect(fits(FIELDS, { who: "a" })).toBe(true);
});

test("what is written becomes a value of its kind, and comes back as it was written", () => {
  const texts = { who: "Ada", times: "3", loud: "false", tone: "1", more: "[1, 2]" };
  const all = Object.entries(texts).reduce((given, [name, text]) => written(given, field(name), text), {});
  expect(all).toEqual({ who: "Ada", times: 3, loud: false, tone: 7, more: [1, 2] });
  expect(shownIn(field("tone"), 7)).toBe("1");
  expect(shownIn(field("more"), [1, 2])).toBe("[1,2]");
});

test("an empty field leaves its argument out; a text that is needed may be empty", () => {
  expect(written({ times: 3 }, field("times"), "")).toEqual({});
  expect(written({}, field("who"), "")).toEqual({ who: "" });
});

test("what is no value of its kind goes as it stands, for the schema to refuse", () => {
  expect(written({}, field("times"), "three")).toEqual({ times: "three" });
  expect(written({}, field("more"), "[1,")).toEqual({ more: "[1," });
});

test("a problem's path names its argument", () => {
  expect([argumentAt("/times"), argumentAt("/arguments/a~1b/0"), argumentAt(""), argumentAt(7)]).toEqual([
    "times",
    "a/b",
    null,
    null,
  ]);
});

test("what code will do for real is told before it runs", () => {
  const code = "const r = await fetch(args.url)\nawait state.set('k', r.status)\nreturn db.sql('SELECT 1')";
  expect(effectsOf(code)).toEqual([
    "sends requests to other servers",
    "writes the agent's state",
    "works on the agent's database",
  ]);
});

test("code that only reckons does nothing", () => {
  expect(effectsOf("const prefetched = args.n * 2\nreturn { prefetched, state: 1 }")).toEqual([]);
  expect(effectsOf("return await state.get('k')")).toEqual([]);
});

test("a test run begins with the required arguments", () => {
  expect(
    exampleOf({
      type: "object",
      properties: {
        n: { type: "number" },
        to: { enum: ["k", "f"] },
        deep: { type: "object", properties: { list: { type: "array" } }, required: ["list"] },
        preset: { type: "string", default: "x" },
        left: { type: "string" },
      },
      required: ["n", "to", "deep", "preset"],
    }),
  ).toEqual({ n: 0, to: "k", deep: { list: [] }, preset: "x" });
});

test("a schema that says little or goes in circles still gives an object", () => {
  expect([{}, null, { type: "object" }, { properties: 1 }].map((schema) => exampleOf(schema))).toEqual([
    {},
    {},
    {},
    {},
  ]);
});
