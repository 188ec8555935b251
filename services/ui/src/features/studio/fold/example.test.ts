import { expect, test } from "vitest";
import { exampleOf } from "./example";
import { hostsIn } from "./hosts";

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

test("hosts are read however they are separated", () => {
  expect(hostsIn(" a.org, b.org\n\n*.c.org;")).toEqual(["a.org", "b.org", "*.c.org;"]);
});
