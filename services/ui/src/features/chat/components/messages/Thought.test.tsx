import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { violations } from "../../../../testing/axe";
import { Thought } from "./Thought";

test("what the model thought is folded away, and shown by keyboard", async () => {
  const { container } = render(<Thought name="t1" text={"first\n<img src=x>"} growing={false} />);
  expect(container.textContent).not.toContain("first");
  await userEvent.tab();
  await userEvent.keyboard("{Enter}");
  expect(screen.getByRole("button", { name: "Thought for a moment", expanded: true })).toBe(
    document.activeElement,
  );
  expect(container.textContent).toContain("first\n<img src=x>");
  expect(container.querySelector("img")).toBeNull();
  expect(await violations(container)).toEqual([]);
});

test("of a long text that grows the end is shown", async () => {
  render(<Thought name="t2" text={`${"a".repeat(20_000)}now`} growing />);
  await userEvent.click(screen.getByRole("button", { name: "Thinking" }));
  const shown = screen.getByRole("region", { name: "What the model thought" }).textContent ?? "";
  expect(shown.length).toBeLessThan(11_000);
  expect(shown.endsWith("now")).toBe(true);
});
