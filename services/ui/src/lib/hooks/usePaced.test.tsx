import { render, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { usePaced } from "./usePaced";

const seen: number[] = [];

function Text({ text, growing }: { text: string; growing: boolean }) {
  const drawn = usePaced(text, growing);
  seen.push(drawn.length);
  return <p>{drawn}</p>;
}

function steps(): number[] {
  const found = seen.splice(0);
  return found.map((length, index) => length - (found[index - 1] ?? 0));
}

test("what comes at once is drawn in steps, in order, and whole in the end", async () => {
  const text = "0123456789".repeat(2_000);
  const { rerender } = render(<Text text="01" growing />);
  rerender(<Text text={text} growing />);
  await waitFor(() => expect(screen.getByText(text)).toBeTruthy());
  expect(Math.max(...steps())).toBeLessThanOrEqual(1_500);
});

test("pieces that come faster than frames put nothing off", async () => {
  const { rerender } = render(<Text text="" growing />);
  let text = "";
  const pieces = setInterval(() => {
    text += "word ".repeat(20);
    rerender(<Text text={text} growing />);
  }, 1);
  await waitFor(() => expect(screen.getByText(/word/).textContent?.length).toBeGreaterThan(5_000));
  clearInterval(pieces);
  rerender(<Text text={text} growing={false} />);
  await waitFor(() => expect(screen.getByText(text.trim())).toBeTruthy());
  expect(Math.max(...steps())).toBeLessThanOrEqual(1_500);
});

test("a finished text of usual length is whole when it is first seen", () => {
  const text = "word ".repeat(2_000).trim();
  render(<Text text={text} growing={false} />);
  expect(screen.getByText(text)).toBeTruthy();
});

test("no character is cut in two", () => {
  render(<Text text={"🙂".repeat(1_500).replace("🙂", "x")} growing />);
  expect(screen.getByText(/x/).textContent).toMatch(/🙂$/u);
});
