import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Diff } from "./Diff";

const lines = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => `${text(n)}\n`).join("");

function shown(text: (n: number) => string): string[] {
  const before = lines(20, text);
  render(<Diff before={before} after={`${before}one more\n`} label="changes" />);
  return (screen.getByRole("group", { name: "changes" }).textContent ?? "").trimEnd().split("\n");
}

test("what is near a change is shown with it", () => {
  expect(shown((n) => `line ${n}`)).toEqual(["⋯", "  line 18", "  line 19", "+ one more"]);
});

test("of paragraphs less is shown, so that the change is in sight", () => {
  expect(shown((n) => `${n} ${"word ".repeat(20)}`.trim())).toHaveLength(3);
});
