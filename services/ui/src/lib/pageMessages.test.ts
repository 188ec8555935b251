import { expect, test } from "vitest";
import { LONGEST_MESSAGE, LONGEST_SAYING, parseFromFrame } from "./pageMessages";

const parsed = (message: unknown) => parseFromFrame(JSON.stringify(message));

test("what a frame may say is read, and nothing besides", () => {
  expect(parsed({ kind: "write", id: 1, key: "k", value: null, more: "x" })).toEqual({
    kind: "write",
    id: 1,
    key: "k",
    value: null,
  });
  expect(parsed({ kind: "call", id: 2, name: "f", args: { a: 1 } })).toMatchObject({ args: { a: 1 } });
  expect(parsed({ kind: "ready" })).toEqual({ kind: "ready" });
  expect(parsed({ kind: "act", id: 3, action: "pick", payload: { n: 1 } })).toMatchObject({ action: "pick" });
  expect(parsed({ kind: "library", id: 4, name: "sums" })).toMatchObject({ name: "sums" });
});

test.each([[{ kind: "ready" }], [null], ["{"], ['"ready"'], ["[1]"]])(
  "what isn't the text of an object is no message: %s",
  (data) => {
    expect(parseFromFrame(data)).toBeNull();
  },
);

test.each([
  { kind: "other" },
  { kind: "write", id: "1", key: "k", value: 1 },
  { kind: "write", id: 1, key: "", value: 1 },
  { kind: "write", id: 1, key: "k".repeat(257), value: 1 },
  { kind: "write", id: 1, key: "k" },
  { kind: "call", id: 1, name: "f", args: [] },
  { kind: "call", id: 1, name: "f".repeat(65), args: {} },
  { kind: "say", id: 1, text: "  " },
  { kind: "say", id: 1, text: "x".repeat(LONGEST_SAYING + 1) },
  { kind: "watch", key: 7 },
  { kind: "act", id: 1, action: " ", payload: {} },
  { kind: "act", id: 1, action: "x".repeat(201), payload: {} },
  { kind: "act", id: 1, action: "pick", payload: [1] },
  { kind: "act", action: "pick", payload: {} },
  { kind: "library", id: 1, name: "x".repeat(65) },
])("a message of the wrong shape is none: %j", (message) => {
  expect(parsed(message)).toBeNull();
});

test("a message is read up to its longest, and not beyond", () => {
  const empty = JSON.stringify({ kind: "write", id: 1, key: "k", value: "" });
  const longest = empty.replace('""', `"${"x".repeat(LONGEST_MESSAGE - empty.length)}"`);
  expect(longest).toHaveLength(LONGEST_MESSAGE);
  expect(parseFromFrame(longest)).toMatchObject({ kind: "write", id: 1 });
  expect(parseFromFrame(longest.replace("x", "xx"))).toBeNull();
});

test("an error's words are cut, and a place must be one", () => {
  const thrown = parsed({ kind: "thrown", message: "x".repeat(9_000), line: 1.5, column: -1, stack: 7 });
  expect(thrown).toEqual({ kind: "thrown", message: "x".repeat(4_000), line: null, column: null, stack: "" });
});
