import { expect, test } from "vitest";
import { bytesOf, cellOf, tableQuery, textOf } from "./rows";

test("names are quoted, whatever they are", () => {
  expect(tableQuery('a"; DROP TABLE b; --', { column: 'x"y', descending: true }, 50)).toBe(
    'SELECT * FROM "a""; DROP TABLE b; --" ORDER BY "x""y" DESC LIMIT -1 OFFSET 50',
  );
});

test("values say what they are, and whether there is more of them", () => {
  expect(cellOf(null)).toMatchObject({ kind: "null", more: false });
  expect(cellOf("")).toMatchObject({ kind: "text", text: "", more: false });
  expect(cellOf(1e300)).toMatchObject({ kind: "number", text: "1e+300" });
  expect(cellOf("x".repeat(121))).toMatchObject({ text: "x".repeat(120), size: 121, more: true });
  expect(cellOf({ $cut: "abc", size: 1_000_000 })).toMatchObject({
    kind: "text",
    size: 1_000_000,
    more: true,
  });
  expect(cellOf({ $base64: btoa("abc") })).toMatchObject({ kind: "blob", size: 3, more: true });
  expect(cellOf({ $cut: { $base64: btoa("abc") }, size: 9 })).toMatchObject({ kind: "blob", size: 9 });
});

test("a blob is shown byte by byte", () => {
  const blob = { $base64: btoa("<b>\u0000\u00ff") };
  expect(textOf(blob)).toBe(`00000000  3c 62 3e 00 ff${" ".repeat(33)}  <b>..`);
  expect([...bytesOf(blob)]).toEqual([60, 98, 62, 0, 255]);
  expect(textOf("\u202eabc")).toBe("\u202eabc");
});
