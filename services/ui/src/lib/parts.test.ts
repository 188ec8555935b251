import { expect, test } from "vitest";
import { LONG, LONGEST, type Part, partsOf } from "./parts";

const HEAD = "| n | m |\n| - | :-: |\n";
const rows = (count: number) => Array.from({ length: count }, (_, n) => `| row ${n} | ${"x".repeat(80)} |\n`);
const code = (lines: number) =>
  Array.from({ length: lines }, (_, n) => `def f${n}():\n    return ${n}\n\n`).join("");
const list = (item: (n: number) => string) => Array.from({ length: 200 }, (_, n) => item(n + 1)).join("");

const pieces = (parts: readonly Part[]) =>
  parts.flatMap((part) => ("slices" in part ? part.slices : [part.text]));

test("what refers to other parts stays with them", () => {
  const text = "See [that][1].\n\n[1]: https://example.com\n";
  expect(partsOf(text, false)).toEqual([{ kind: "text", text }]);
  expect(pieces(partsOf("a\n\nb", false))).toEqual(["a\n\n", "b"]);
});

const LONG_ONES: [string, string][] = [
  ["table", `Words\n\n${HEAD}${rows(200).join("")}`],
  ["code", `Words\n\n\`\`\`python\n${code(500)}`],
  ["list", list((n) => `${n}. ${"word ".repeat(12)}\n   more\n`)],
  ["list with gaps", list((n) => `- ${"word ".repeat(12)}\n\n  \`\`\`js\n  ${n}\n  \`\`\`\n\n`)],
  ["mixture", `- one\n- two\n${HEAD}${rows(90).join("")}\n    still\n\`\`\`\n${code(200)}\`\`\`\n- three\n`],
];

test.each(LONG_ONES)("of a long %s that grows only the last slice changes, and none is long", (_, text) => {
  const whole = pieces(partsOf(text, true));
  expect(whole.length).toBeGreaterThan(4);
  expect(Math.max(...whole.map(({ length }) => length))).toBeLessThan(2 * LONG + 200);
  for (let end = 2 * LONG; end <= text.length; end += 97) {
    const now = pieces(partsOf(text.slice(0, end), true));
    expect(whole.slice(0, Math.max(0, now.length - 1))).toEqual(now.slice(0, -1));
  }
  expect(pieces(partsOf(text, false))).toEqual(whole);
});

test("a long table is one table: each slice has its head, and every row is there once", () => {
  const [words, table] = partsOf(`Words\n\n${HEAD}${rows(200).join("")}\nAfter`, true);
  expect(words).toEqual({ kind: "text", text: "Words\n\n" });
  if (table?.kind !== "table") throw new Error("It is no table.");
  expect(table.slices.every((slice) => slice.startsWith(HEAD))).toBe(true);
  expect(table.slices.map((slice) => slice.slice(HEAD.length)).join("")).toBe(rows(200).join(""));
});

test("long code is cut where something begins, each slice code of its language", () => {
  const [found, end] = partsOf(`~~~~python\n${code(300)}~~~~\n\nEnd`, true);
  if (found?.kind !== "code") throw new Error("It is no code.");
  const bare = found.slices.map((slice) => /^~~~~python\n([\s\S]*)~~~~\n$/.exec(slice)?.[1] ?? "");
  expect(bare.join("")).toBe(code(300));
  expect(bare.every((slice) => slice.startsWith("def "))).toBe(true);
  expect(end).toEqual({ kind: "text", text: "End" });
});

test("a list that is cut goes on counting, whatever numbers it was written with", () => {
  const [, second] = partsOf(
    list(() => `1. ${"word ".repeat(20)}\n`),
    true,
  );
  const before = pieces(
    partsOf(
      list(() => `1. ${"word ".repeat(20)}\n`),
      true,
    ),
  )[0]?.match(/^\d+\./gm)?.length;
  expect(second).toMatchObject({ text: expect.stringMatching(new RegExp(`^${(before ?? 0) + 1}\\. `)) });
});

test("a diagram is one piece; prose without an end, and a line of code without one, are not worked on", () => {
  const diagram = `\`\`\`mermaid\n${"a-->b\n".repeat(700)}\`\`\`\n`;
  expect(partsOf(diagram, false)).toEqual([{ kind: "text", text: diagram }]);
  const endless = "word ".repeat(LONGEST);
  expect(partsOf(endless, true)).toEqual([{ kind: "plain", text: endless }]);
  const [line] = pieces(partsOf(`\`\`\`json\n${endless}`, true));
  expect(line?.startsWith("```\nword")).toBe(true);
});
