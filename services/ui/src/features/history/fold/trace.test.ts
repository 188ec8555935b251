import { expect, test } from "vitest";
import type { Span } from "../../../lib/wire";
import { chart, spanWords, ticks, toggled } from "./trace";

const at = (second: number) => new Date(Date.UTC(2025, 0, 6, 12, 0, second)).toISOString();
const span = (
  id: string,
  parent: string | null,
  from: number,
  to: number | null,
  change: Partial<Span> = {},
): Span => ({
  id,
  parent,
  kind: "tool_call",
  session_id: "s_1",
  call_id: null,
  name: "look",
  text: "",
  arguments: null,
  number: null,
  state: "done",
  started_at: at(from),
  ended_at: to === null ? null : at(to),
  end: null,
  attempts: null,
  tokens: null,
  ...change,
});
const SPANS = [
  span("1", null, 0, 0, { kind: "input", name: "user_message" }),
  span("2", "1", 0, 10, { kind: "turn" }),
  span("3.1", "2", 2, 4, { kind: "model_call", name: "demo", number: 3 }),
  span("3.0", "2", 1, 2),
  span("5", "3.1", 4, null),
];

test("a span is closed by one press and open again after the next; others stay as they are", () => {
  const closed = toggled(new Set(["1"]), "2");
  expect([...closed]).toEqual(["1", "2"]);
  expect([...toggled(closed, "2")]).toEqual(["1"]);
  expect([...toggled(toggled(closed, "1"), "2")]).toEqual([]);
  expect([...closed]).toEqual(["1", "2"]);
});

test("spans stand below what led to them, in the order of the log, at their time", () => {
  const { bars, whole } = chart(SPANS, new Set(), Date.parse(at(10)));
  expect(bars.map(({ span: { id }, depth }) => [id, depth])).toEqual([
    ["1", 0],
    ["2", 1],
    ["3.0", 2],
    ["3.1", 2],
    ["5", 3],
  ]);
  expect(whole).toBe(10_000);
  expect(bars.map(({ from, length }) => [from, length])).toEqual([
    [0, 0],
    [0, 1],
    [0.1, 0.1],
    [0.2, 0.2],
    [0.4, 0.6],
  ]);
  expect(bars.map(({ took }) => took)).toEqual([0, 10_000, 1000, 2000, null]);
});

test("what belongs to a closed span is left out; an unknown parent is none", () => {
  expect(chart(SPANS, new Set(["2"]), 0).bars.map((bar) => bar.span.id)).toEqual(["1", "2"]);
  expect(chart(SPANS.slice(2), new Set(), 0).bars.map((bar) => bar.depth)).toEqual([0, 0, 1]);
  expect(chart([], new Set(), 0)).toEqual({ bars: [], whole: 0 });
});

test("a span is told in words", () => {
  expect(SPANS.map(spanWords)).toEqual([
    "You said",
    "A turn",
    "Asked demo, call 3",
    "Used look",
    "Used look",
  ]);
});

test.each([
  [1, [0, 1]],
  [204, [0, 50, 100, 150, 200]],
  [1_000, [0, 200, 400, 600, 800, 1_000]],
  [61_000, [0, 20_000, 40_000, 60_000]],
])("lines of time are at round times: of %i ms", (whole, expected) => {
  expect(ticks(whole)).toEqual(expected);
});
