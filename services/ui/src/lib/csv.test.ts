import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { csv } from "./csv";

interface Case {
  name: string;
  rows: string[][];
  written: string;
}

/** Code in the sandbox and the spreadsheet tools are held to the same cases. */
const CASES = JSON.parse(readFileSync("../tool-runner/tests/csv_cases.json", "utf8")) as Case[];

test.each(CASES)("$name", ({ rows, written }) => {
  expect(csv(rows)).toBe(written);
});

test("numbers stay numbers, and what is no text is written as text", () => {
  expect(csv([[-1.5, 0, null, undefined, true, { a: "=1" }]])).toBe('-1.5,0,,,yes,"{""a"":""=1""}"\r\n');
});
