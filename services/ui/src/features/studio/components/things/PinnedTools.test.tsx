import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { PinButton, PinnedTools } from "./pins";

function pins(...names: string[]) {
  const set = vi.fn((_names: readonly string[], then?: () => void) => then?.());
  return { names, working: false, failure: null, set };
}

test("built-in ones are listed, the agent's own have their pin elsewhere", async () => {
  const { container } = render(<PinnedTools pins={pins("warm", "pdf_merge")} own={["warm", "brew"]} />);
  expect(screen.getAllByRole("listitem").map((one) => one.textContent)).toEqual(["pdf_merge"]);
  expect(await violations(container)).toEqual([]);
});

test("a name that is typed is pinned beside the others, and the field is empty again", async () => {
  const given = pins("warm");
  render(<PinnedTools pins={given} own={["warm"]} />);
  const field = screen.getByLabelText("Built-in tool to pin");
  expect(screen.getByRole("button", { name: "Pin" })).toHaveProperty("disabled", true);
  await userEvent.type(field, " pdf_merge {Enter}");
  expect(given.set.mock.calls[0]?.[0]).toEqual(["warm", "pdf_merge"]);
  expect(field).toHaveProperty("value", "");
});

test("what can't be pinned is said", () => {
  const failure = new Error("there is no tool named 'x'");
  render(<PinnedTools pins={{ ...pins(), failure }} own={[]} />);
  expect(screen.getByRole("alert").textContent).toContain("no tool named 'x'");
});

test("a pin says whether it is set, and turns", async () => {
  const given = pins("warm", "pdf_merge");
  render(
    <>
      <PinButton name="warm" pins={given} />
      <PinButton name="brew" pins={given} />
    </>,
  );
  const [warm, brew] = screen.getAllByRole("button", { name: /^Pin / });
  expect(warm?.getAttribute("aria-pressed")).toBe("true");
  expect(brew?.getAttribute("aria-pressed")).toBe("false");
  if (warm) await userEvent.click(warm);
  if (brew) await userEvent.click(brew);
  expect(given.set.mock.calls.map(([names]) => names)).toEqual([
    ["pdf_merge"],
    ["warm", "pdf_merge", "brew"],
  ]);
});
