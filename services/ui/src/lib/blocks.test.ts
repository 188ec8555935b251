import { expect, test } from "vitest";
import { blocks } from "./blocks";

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
