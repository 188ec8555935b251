import { expect, test } from "vitest";
import { asMath, mathMet } from "./math";

test.each([
  ["so $x^2$ is", "so $$x^2$$ is"],
  ["so \\(x_1\\) is", "so $$x_1$$ is"],
  ["\\[\na = b\n\\]", "\n$$\na = b\n$$\n"],
  ["$$\na\n$$", "$$\na\n$$"],
])("a formula is met: %s", (text, written) => {
  expect(mathMet(text)).toBe(true);
  expect(asMath(text)).toBe(written);
});

test.each([
  "It costs $5, or $10 for two",
  "from $HOME to $PATH",
  "`$x$` in code",
  "```sh\necho $A $B$\n\\(x\\)\n```\nand after",
  "```tex\n$x$ and no end yet",
  "US$ 5 and A$ 6",
])("no formula: %s", (text) => {
  expect(mathMet(text)).toBe(false);
  expect(asMath(text)).toBe(text);
});

test("a formula beside code, and a text that wants to be slow", () => {
  expect(asMath("`$a$` and $b$")).toBe("`$a$` and $$b$$");
  const begun = performance.now();
  asMath("$".repeat(50_000));
  asMath("`a ".repeat(20_000));
  asMath("\\(".repeat(5_000));
  asMath("$a ".repeat(20_000));
  expect(performance.now() - begun).toBeLessThan(2_000);
});
