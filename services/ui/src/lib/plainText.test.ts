import { expect, test } from "vitest";
import { plainText } from "./plainText";

test.each([
  ["## Title\n\nSome **bold** and *soft* `code`.", "Title\nSome bold and soft code."],
  ["- one\n- [x] two\n* three", "one\ntwo\nthree"],
  ["[a page](https://example.com) and ![a cat](https://e.com/c.png)", "a page and a cat"],
  ["| a | b |\n|---|:-:|\n| 1 | 2 |", "a, b\n1, 2"],
  ["```python\nprint(1)\n```", "print(1)"],
  ["> said\n> twice", "said\ntwice"],
  ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
])("%s", (markdown, said) => {
  expect(plainText(markdown)).toBe(said);
});

test("a text that wants to be slow", () => {
  const begun = performance.now();
  for (const part of ["**a", "[a](", "![", "_ ", "| ", "`", "*x"]) plainText(part.repeat(20_000));
  expect(performance.now() - begun).toBeLessThan(3_000);
});
