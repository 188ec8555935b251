import { expect, test } from "vitest";
import { cellText } from "../../../lib/csv";
import { asCsv, sorted } from "./table";

const ROWS = [{ n: 10, a: "b" }, { n: 9, a: "B2" }, { n: null }, { n: 100, a: "b10" }];
const column = (key: string, descending = false) =>
  sorted(ROWS, { column: key, descending }).map((row) => row[key as "n" | "a"]);

test("numbers are in the order of numbers, text in that of people, and what is empty comes last", () => {
  expect(column("n")).toEqual([9, 10, 100, null]);
  expect(column("n", true)).toEqual([100, 10, 9, null]);
  expect(column("a")).toEqual(["b", "B2", "b10", undefined]);
  expect(sorted(ROWS, null)).toBe(ROWS);
});

test("cells are text", () => {
  expect([null, undefined, true, 1.5, { a: 1 }].map(cellText)).toEqual(["", "", "yes", "1.5", '{"a":1}']);
});

test("CSV quotes what needs it, and no cell is a formula of somebody else's", () => {
  const columns = [
    { key: "a", label: "A, B" },
    { key: "b", label: "C" },
  ];
  const rows = [
    { a: 'say "hi"', b: "=1+1" },
    { a: "two\nlines", b: -1 },
  ];
  expect(asCsv(columns, rows)).toBe('\ufeff"A, B",C\r\n"say ""hi""",\'=1+1\r\n"two\nlines",-1\r\n');
});
