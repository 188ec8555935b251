import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Session } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { session } from "../../../../testing/given";
import { ChatMenu } from "./ChatMenu";

function setUp(of: Partial<Session>, isOpen = true) {
  const onThink = vi.fn();
  render(<ChatMenu session={session(of)} isOpen={isOpen} onArchive={vi.fn()} onThink={onThink} />);
  return onThink;
}

/** Open the menu, and its entry about thinking, by keyboard alone. */
async function openDialog(entry: RegExp) {
  screen.getByRole("button", { name: "More about this chat" }).focus();
  await userEvent.keyboard("{Enter}");
  (await screen.findByRole("button", { name: entry })).focus();
  await userEvent.keyboard("{Enter}");
  return screen.findByRole("dialog", { name: "Thinking in this chat" });
}

test("how hard a chat's model thinks is changed later, by keyboard", async () => {
  const onThink = setUp({ thinking: { effort: "low", budget: null } });
  const dialog = await openDialog(/^Thinking: Low/);
  expect(await violations(dialog)).toEqual([]);
  const select = screen.getByRole<HTMLSelectElement>("combobox", { name: "Effort of thinking" });
  expect(select.value).toBe("low");
  await userEvent.selectOptions(select, "High");
  screen.getByRole("button", { name: "Save" }).focus();
  await userEvent.keyboard("{Enter}");
  expect(onThink).toHaveBeenCalledExactlyOnceWith({ effort: "high", budget: null });
  expect(screen.queryByRole("dialog", { name: "Thinking in this chat" })).toBeNull();
});

test("a number of tokens is shown, and one that no model takes is not saved", async () => {
  const onThink = setUp({ thinking: { effort: null, budget: 2_048 } });
  await openDialog(/^Thinking: Up to 2,048 tokens/);
  const tokens = screen.getByRole<HTMLInputElement>("textbox", { name: "Tokens for thinking" });
  expect(tokens.value).toBe("2048");
  await userEvent.clear(tokens);
  await userEvent.type(tokens, "7{Enter}");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
  expect(onThink).not.toHaveBeenCalled();
  await userEvent.type(tokens, "000{Enter}");
  expect(onThink).toHaveBeenCalledExactlyOnceWith({ effort: null, budget: 7_000 });
});

test("a closed chat thinks no more", async () => {
  setUp({}, false);
  await userEvent.click(screen.getByRole("button", { name: "More about this chat" }));
  const entry = await screen.findByRole("button", {
    name: /^Thinking: As the settings say/,
  });
  expect(entry.getAttribute("aria-disabled")).toBe("true");
});
