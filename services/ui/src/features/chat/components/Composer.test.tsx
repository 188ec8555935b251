import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../testing/axe";
import { Composer } from "./Composer";

const box = () => screen.getByLabelText<HTMLTextAreaElement>("Message");

function setUp(props: Partial<Parameters<typeof Composer>[0]> = {}) {
  const onSend = vi.fn();
  const view = render(<Composer draftKey="s_1" placeholder="Message" autoFocus onSend={onSend} {...props} />);
  return { onSend, ...view };
}

test("Enter sends and empties the box, Shift+Enter makes a new line", async () => {
  const { onSend, container } = setUp();
  await userEvent.type(box(), "One{Shift>}{Enter}{/Shift}two{Enter}");
  expect(onSend.mock.calls).toEqual([["One\ntwo"]]);
  expect(box().value).toBe("");
  expect(await violations(container)).toEqual([]);
});

test("Enter that ends a word of an input method does not send", () => {
  const { onSend } = setUp();
  fireEvent.change(box(), { target: { value: "にほん" } });
  fireEvent.keyDown(box(), { key: "Enter", isComposing: true });
  expect(onSend).not.toHaveBeenCalled();
});

test("blank text is not sent", async () => {
  const { onSend } = setUp();
  await userEvent.type(box(), "  {Enter}");
  expect(onSend).not.toHaveBeenCalled();
});

test("unsent text survives a reload, each chat its own", async () => {
  const { unmount } = setUp();
  await userEvent.type(box(), "half a thou");
  unmount();
  setUp();
  expect(box().value).toBe("half a thou");
});

test("text of one chat does not show in another", async () => {
  const { unmount } = setUp();
  await userEvent.type(box(), "half");
  unmount();
  setUp({ draftKey: "s_2" });
  expect(box().value).toBe("");
});

test("while the agent works there is a way to stop it", async () => {
  const onStop = vi.fn();
  setUp({ working: true, onStop });
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));
  expect(onStop).toHaveBeenCalledOnce();
});

test("the box has the focus when the chat opens, unless told otherwise", () => {
  const { unmount } = setUp();
  expect(document.activeElement).toBe(box());
  unmount();
  setUp({ autoFocus: false });
  expect(document.activeElement).not.toBe(box());
});

test("text offered from outside is put into the box to be completed", () => {
  setUp({ offered: { text: "Remember that " } });
  expect(box().value).toBe("Remember that ");
});
