import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Title } from "./Title";

async function edit(keys: string) {
  const onRename = vi.fn();
  render(<Title title="Tea" onRename={onRename} />);
  await userEvent.click(screen.getByRole("button", { name: /Tea/ }));
  await userEvent.clear(screen.getByLabelText("Title"));
  await userEvent.type(screen.getByLabelText("Title"), keys);
  return onRename;
}

test("a click makes it editable, Enter keeps the new one", async () => {
  expect(await edit(" Coffee {Enter}")).toHaveBeenCalledExactlyOnceWith("Coffee");
});

test("leaving the field keeps it too", async () => {
  const onRename = await edit("Coffee");
  await userEvent.tab();
  expect(onRename).toHaveBeenCalledExactlyOnceWith("Coffee");
});

test("Escape forgets it, and does not stop the agent", async () => {
  const stop = vi.fn();
  const listener = (event: KeyboardEvent) => event.key === "Escape" && !event.defaultPrevented && stop();
  document.addEventListener("keydown", listener);
  expect(await edit("Coffee{Escape}")).not.toHaveBeenCalled();
  document.removeEventListener("keydown", listener);
  expect(stop).not.toHaveBeenCalled();
  expect(screen.getByRole("button", { name: /Tea/ })).toBeTruthy();
});

test("the same title is no renaming", async () => {
  expect(await edit("Tea{Enter}")).not.toHaveBeenCalled();
});

test("no title is no renaming", async () => {
  expect(await edit(" {Enter}")).not.toHaveBeenCalled();
});
