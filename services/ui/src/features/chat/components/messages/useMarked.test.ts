import { expect, test } from "vitest";
import { folded, termsOf } from "./useMarked";

test("each word and each phrase is marked, in any case, without accents", () => {
  expect(termsOf('Crème "foo  Bar" crème 0x7F "" ')).toEqual(["creme", "foo  bar", "0x7f"]);
});

test("a folded text has its letters where they were", () => {
  for (const text of ["Crème brûlée ÄÖ 😀 東京 İ ß", "e\u0301"])
    expect(folded(text)).toHaveLength(text.length);
  expect(folded("Crème ÄÖ")).toBe("creme ao");
});
