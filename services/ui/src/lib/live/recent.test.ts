import { expect, test } from "vitest";
import type { Frame } from "./frames";
import { createRecent } from "./recent";

const event = (sequence: number) => ({ kind: "event", sequence }) as Frame;
const piece = { kind: "delta" } as Frame;
const names = (frames: Frame[]) => frames.map((one) => (one.kind === "event" ? one.sequence : one.kind));

test("it reaches back to where it began, until there was too much", () => {
  const recent = createRecent(4);
  recent.begin(5);
  expect([recent.reaches(4), recent.reaches(5)]).toEqual([false, true]);
  for (const sequence of [6, 7, 8, 9, 10]) recent.add(event(sequence));
  expect([recent.reaches(6), recent.reaches(7)]).toEqual([false, true]);
  expect(names(recent.since(7, 0))).toEqual([8, 9, 10]);
});

test("where nobody knows on what it follows, it reaches nowhere", () => {
  const recent = createRecent();
  recent.begin(null);
  recent.add(event(6));
  expect(recent.reaches(6)).toBe(false);
});

test("events are chosen by their sequence, pieces of answers by when they came", () => {
  const recent = createRecent();
  recent.begin(5);
  recent.add(piece);
  const from = recent.count();
  recent.add(event(6));
  recent.add(piece);
  recent.add(event(7));
  expect(names(recent.since(6, from))).toEqual(["delta", 7]);
});
