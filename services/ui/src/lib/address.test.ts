import { expect, test } from "vitest";
import { addressOf, before, includes, isAddress, later, placeOf, recordOf } from "./address";

const ORDERED = ["1", "9.0", "9.1", "9.2", "9.10", "10", "11.0", "99999999999"];

test("an address is written as it was read, and sorts as events do", () => {
  const places = ORDERED.map(placeOf);
  expect(places.map(addressOf)).toEqual(ORDERED);
  expect(places.toSorted((one, other) => one - other)).toEqual(places);
  expect(places.map(recordOf)).toEqual([1, 9, 9, 9, 9, 10, 11, 99999999999]);
});

test("a record alone as a moment includes all its events, an event only those up to it", () => {
  expect(includes(9, placeOf("9.10"))).toBe(true);
  expect(includes(9, 10)).toBe(false);
  expect(includes(placeOf("9.1"), placeOf("9.0"))).toBe(true);
  expect(includes(placeOf("9.1"), placeOf("9.2"))).toBe(false);
  expect(later(9, placeOf("9.2"))).toBe(9);
  expect(later(placeOf("9.2"), placeOf("9.10"))).toBe(placeOf("9.10"));
});

test("before an event is the one before it in its record, else the record before", () => {
  expect(["9.2", "9.1", "9.0", "9"].map((one) => addressOf(before(placeOf(one))))).toEqual([
    "9.1",
    "9.0",
    "8",
    "8",
  ]);
});

test.each(["", "-1", "1.", "01", "1.01", "1e3", "1.2.3", " 1"])("%j is no address", (text) => {
  expect(isAddress(text)).toBe(false);
  expect(() => placeOf(text)).toThrow("is not an event's address");
});
