import { expect, test } from "vitest";
import { bytes, compactCount, dayWords, span } from "./words";

test("spans of time", () => {
  expect([span(3.4), span(420), span(3210), span(125_000)]).toEqual(["3 ms", "420 ms", "3.2 s", "2 min 5 s"]);
});

test("sizes and counts", () => {
  expect([640, 12_345, 3_400_000, 2 ** 30].map(bytes)).toEqual(["640 B", "12 kB", "3.4 MB", "1.1 GB"]);
  expect([compactCount(950), compactCount(64_400), compactCount(1_200_000)]).toEqual([
    "950",
    "64.4k",
    "1.2m",
  ]);
});

test("days as seen from now", () => {
  const now = new Date(2025, 0, 8, 1);
  expect(dayWords(new Date(2025, 0, 8, 0).toISOString(), now)).toBe("Today");
  expect(dayWords(new Date(2025, 0, 7, 23).toISOString(), now)).toBe("Yesterday");
  expect(dayWords(new Date(2025, 0, 6, 12).toISOString(), now)).toMatch(/^Monday,? 6 January 2025$/);
});
