import { expect, test } from "vitest";
import { placeOf } from "../../../lib/address";
import { changesNear, indexOf, momentAt, moved, stopsOf, turnAt, turnBeside, withLater } from "./stops";

const mark = (address: string) => ({ kind: "state", name: "a", address, deleted: false, session_id: null });
const STOPS = stopsOf({
  events: ["2", "3.0", "3.1", "5", "8", "9"],
  turns: ["3.0", "8"],
  left_out: 0,
  changes: [mark("7"), mark("4")],
});

test("every event is a stop, and now comes after them", () => {
  expect(indexOf(STOPS, null)).toBe(6);
  expect(momentAt(STOPS, 6)).toBeNull();
  expect(momentAt(STOPS, 2)).toBe(placeOf("3.1"));
  expect(indexOf(STOPS, placeOf("3.0"))).toBe(1);
});

test("a whole number is the moment with all of its record; one between two events is after the first", () => {
  expect(indexOf(STOPS, 3)).toBe(2);
  expect(indexOf(STOPS, 7)).toBe(3);
  expect(indexOf(STOPS, 1)).toBe(0);
});

test("keys go by events and by turns, and stay within", () => {
  expect(
    ["ArrowRight", "ArrowLeft", "PageUp", "PageDown", "Home", "End", "a"].map((key) => moved(STOPS, 2, key)),
  ).toEqual([3, 1, 4, 1, 0, 6, null]);
  expect([moved(STOPS, 6, "ArrowRight"), moved(STOPS, 0, "ArrowLeft")]).toEqual([6, 0]);
  expect([turnBeside(STOPS, 1, -1), turnBeside(STOPS, 4, 1)]).toEqual([0, 6]);
  expect([0, 1, 3, 4, 6].map((index) => turnAt(STOPS, index))).toEqual([0, 1, 1, 2, 2]);
});

test("changes stand at the event before them, and what comes later is added once", () => {
  expect(STOPS.changes.map(({ index, mark: one }) => [index, one.address])).toEqual([
    [2, "4"],
    [3, "7"],
  ]);
  const later = withLater(STOPS, {
    events: ["11"],
    turns: ["11"],
    left_out: 0,
    changes: [mark("10"), mark("7")],
  });
  expect([later.events.length, later.turns.at(-1), later.last]).toEqual([7, 6, "11"]);
  expect(later.changes.map((one) => one.mark.address)).toEqual(["4", "7", "10"]);
  expect(withLater(later, { events: [], turns: [], left_out: 0, changes: [] })).toBe(later);
});

test("30,000 stops are found at once", () => {
  const events = Array.from({ length: 30_000 }, (_, index) => String(index + 1));
  const many = stopsOf({
    events,
    turns: events.filter((_, index) => index % 10 === 0),
    left_out: 0,
    changes: [],
  });
  const began = performance.now();
  for (let at = 1; at <= 30_000; at += 1) indexOf(many, at);
  expect(performance.now() - began).toBeLessThan(500);
});

test("a pointer finds the changes of a stop; where stops are many, those beside it too", () => {
  const near = (index: number) => changesNear(STOPS, index).map(({ mark: { address } }) => address);
  expect([near(2), near(3), near(1)]).toEqual([["4"], ["7"], []]);
  const many = { ...STOPS, events: Array.from({ length: 1000 }, (_, index) => index) };
  expect(changesNear(many, 6)).toHaveLength(2);
});
