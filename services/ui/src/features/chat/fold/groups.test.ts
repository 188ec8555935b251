import { expect, test } from "vitest";
import { message, page, session } from "../../../testing/given";
import { messagesIn, type Part, parts } from "./groups";
import { opened } from "./page";

type Given = Parameters<typeof page>[0];
const found = (messages: Given) => parts(opened(session(), page(messages)).messages);
const said = (sequence: number, by: number | null = null) => ({
  ...message(sequence, "user", `m${sequence}`),
  hidden_by: by === null ? null : String(by),
});
const summary = (sequence: number, first: number, last: number) => ({
  ...message(sequence, "summary", `s${sequence}`),
  shadows: { first, last },
});

/** The parts in short: texts, with what stands inside in brackets. */
const short = (list: readonly Part[]): string =>
  list
    .map((part) => {
      if (part.kind === "message") return part.message.text;
      const name = part.kind === "summary" ? part.message.text : `back${part.by}`;
      return `${name}[${short(part.parts)}]`;
    })
    .join(" ");

test("without rewinds and summaries there are only messages", () => {
  expect(short(found([said(2), said(3)]))).toBe("m2 m3");
});

test("what one rewind hid stands together, another's apart", () => {
  expect(short(found([said(2), said(3, 9), said(4, 9), said(10, 12), said(13)]))).toBe(
    "m2 back9[m3 m4] back12[m10] m13",
  );
});

test("a summary stands in the place of what it stands for, not where it was written", () => {
  expect(short(found([said(2), said(3), said(4), summary(5, 2, 3), said(6)]))).toBe("s5[m2 m3] m4 m6");
});

test("a summary of summaries has them inside", () => {
  const list = [said(2), said(3), summary(4, 2, 2), said(5), summary(7, 2, 5), said(8)];
  expect(short(found(list))).toBe("s7[m2 m3 s4 m5] m8");
  expect(messagesIn(found(list).slice(0, 1))).toBe(3);
});

test("a task's summary stands in the middle", () => {
  expect(short(found([said(2), said(3), said(4), summary(5, 3, 4), said(6)]))).toBe("m2 s5[m3 m4] m6");
});

test("a summary whose messages are not loaded yet stands first", () => {
  expect(short(found([said(8), summary(9, 2, 5), said(10)]))).toBe("s9[] m8 m10");
});

test("what was rewound within a summary stands together there; a summary may be rewound itself", () => {
  expect(short(found([said(2), said(3, 5), said(6), summary(9, 2, 6), said(10)]))).toBe(
    "s9[m2 back5[m3] m6] m10",
  );
  expect(short(found([said(2), { ...summary(4, 2, 2), hidden_by: "6" }, said(7)]))).toBe("m2 back6[s4] m7");
});
