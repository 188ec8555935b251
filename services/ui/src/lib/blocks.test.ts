import { expect, test } from "vitest";
import { blocks, drawnParts } from "./blocks";

test("paragraphs are parts; code, lists and formulas stay whole", () => {
  const text = "One\n\nTwo\nstill\n\n```js\na\n\nb\n```\n\n- x\n\n- y\n\n  more\n\n$$\na\n\nb\n$$\n\nEnd";
  const found = blocks(text);
  expect(found.join("")).toBe(text);
  expect(found).toEqual([
    "One\n\n",
    "Two\nstill\n\n",
    "```js\na\n\nb\n```\n\n- x\n\n- y\n\n  more\n\n",
    "$$\na\n\nb\n$$\n\n",
    "End",
  ]);
});

test("what has been written stays as it is while more comes", () => {
  const text = "A b\n\nc `d`\n\n~~~\n\ne\n~~~\n\nf\n\ng";
  for (let end = 1; end <= text.length; end += 1) {
    const now = blocks(text.slice(0, end));
    expect(blocks(text).slice(0, Math.max(0, now.length - 1))).toEqual(now.slice(0, -1));
  }
});

test("what refers to other parts stays with them", () => {
  const text = "See [that][1].\n\n[1]: https://example.com\n";
  expect(drawnParts(text, false)).toEqual([text]);
  expect(drawnParts("a\n\nb", false)).toEqual(["a\n\n", "b"]);
});

const HEAD = "| n | m |\n| - | - |\n";
const rows = (count: number) => Array.from({ length: count }, (_, n) => `| row ${n} | ${"x".repeat(80)} |\n`);
const LONG: [string, string][] = [
  ["table", `Words\n\n${HEAD}${rows(200).join("")}`],
  ["list", Array.from({ length: 200 }, (_, n) => `${n + 1}. ${"word ".repeat(12)}\n   more\n`).join("")],
];

test.each(LONG)("a long %s that grows is drawn in pieces that stay", (_, text) => {
  const whole = drawnParts(text, true);
  expect(whole.length).toBeGreaterThan(4);
  expect(Math.max(...whole.map(({ length }) => length))).toBeLessThan(4_000);
  for (let end = 1; end <= text.length; end += 97) {
    const now = drawnParts(text.slice(0, end), true);
    expect(whole.slice(0, Math.max(0, now.length - 1))).toEqual(now.slice(0, -1));
  }
  const [first = "", ...more] = whole;
  const bare = (part: string) => (part.startsWith(HEAD) ? part.slice(HEAD.length) : part);
  expect(first + more.map(bare).join("")).toBe(text);
});

test("long code that grows is one piece, which nothing colours until it is done", () => {
  const code = `\`\`\`python\n${"x = 1\n".repeat(1_000)}`;
  expect(drawnParts(code, true)).toEqual([code.replace("python", "")]);
  expect(drawnParts(`${code}\`\`\`\n\nEnd`, true)).toEqual([`${code}\`\`\`\n\n`, "End"]);
});
