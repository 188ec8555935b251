import { expect, test } from "vitest";
import { differences, flawOf, membersOf, partsOf } from "./parts";
import { pagedKind } from "./shelves";

const TOOL = {
  description: "Warms.",
  code: "return 1\n",
  parameter_schema: { type: "object" },
  enabled: true,
};

test("a value is read as texts, and written back from them", () => {
  const { enabled: _, ...BARE } = TOOL;
  const skill = { description: "How", tags: ["a", "b"], content: "Boil." };
  for (const [kind, value] of [
    ["tool", BARE],
    ["tool", { ...BARE, examples: [{ arguments: { c: 1 }, result: null }] }],
    ["skill", skill],
    ["library", { description: "d", code: "exports.a = 1" }],
    ["component", { description: "d", code: "x" }],
    ["component", { description: "d", code: "x", props_schema: { type: "object" } }],
  ] as const) {
    expect(membersOf(partsOf(pagedKind(kind), value))).toEqual({ members: value });
  }
  for (const value of [null, 0, "", "text", "3", [1], { a: { b: "c" } }]) {
    expect(membersOf(partsOf(pagedKind("state"), value))).toEqual({ members: { value } });
  }
  expect(membersOf(partsOf(pagedKind("prompt"), "a\r\nb"))).toEqual({ members: { text: "a\r\nb" } });
});

test("only the parts that differ are compared, the switch among them", () => {
  expect(differences(pagedKind("tool"), TOOL, { ...TOOL, code: "return 2\n", enabled: false })).toEqual([
    { label: "Code", before: "return 1\n", after: "return 2\n" },
    { label: "Enabled", before: "yes", after: "no" },
  ]);
  expect(differences(pagedKind("tool"), TOOL, { ...TOOL })).toEqual([]);
});

test("what was deleted then is compared as nothing", () => {
  expect(differences(pagedKind("library"), undefined, { description: "d", code: "x" })).toEqual([
    { label: "Description", before: "", after: "d" },
    { label: "Code", before: "", after: "x" },
  ]);
  expect(differences(pagedKind("tool"), TOOL, undefined).map(({ label, after }) => [label, after])).toEqual([
    ["Description", ""],
    ["Code", ""],
    ["Schema", ""],
    ["Enabled", ""],
  ]);
  expect(differences(pagedKind("state"), undefined, null)).toEqual([
    { label: "Value", before: "", after: "null" },
  ]);
});

test("a text that is no JSON is named, with its place where the browser tells it", () => {
  const parts = partsOf(pagedKind("tool"), TOOL).map((part) =>
    part.id === "parameter_schema" ? { ...part, text: '{\n  "a": 1,\n}' } : part,
  );
  const read = membersOf(parts);
  expect("flaw" in read && read.flaw).toMatchObject({ part: "parameter_schema", line: 3 });
  expect(membersOf(partsOf(pagedKind("state"), undefined))).toMatchObject({
    flaw: { part: "value", line: null },
  });
});

test("what the gateway refuses is put where it belongs", () => {
  expect(flawOf("no", { path: "/code", line: 2, column: 9 })).toEqual({
    ...{ part: "code", message: "no", line: 2, column: 9 },
  });
  expect(flawOf("no", { path: "/parameter_schema/properties/a" })).toMatchObject({
    ...{ part: "parameter_schema", line: null },
  });
  expect(flawOf("changed meanwhile", {})).toMatchObject({ part: null, line: null });
});
