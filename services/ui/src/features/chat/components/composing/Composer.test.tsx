import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { Composer } from "./Composer";

const box = () => screen.getByLabelText<HTMLTextAreaElement>("Message");

function setUp(props: Partial<Parameters<typeof Composer>[0]> = {}) {
  const onSend = vi.fn();
  const view = render(
    <Composer
      draftKey="s_1"
      sessionId="s_1"
      agentId="a_1"
      placeholder="Message"
      autoFocus
      onSend={onSend}
      {...props}
    />,
  );
  return { onSend, ...view };
}

test("Enter sends and empties the box, Shift+Enter makes a new line", async () => {
  const { onSend, container } = setUp();
  await userEvent.type(box(), "One{Shift>}{Enter}{/Shift}two{Enter}");
  expect(onSend.mock.calls).toEqual([["One\ntwo", [], null]]);
  expect(box().value).toBe("");
  expect(await violations(container)).toEqual([]);
});

test("Enter that ends a word of an input method does not send", () => {
  const { onSend } = setUp();
  fireEvent.change(box(), { target: { value: "にほん" } });
  fireEvent.keyDown(box(), { key: "Enter", keyCode: 229, isComposing: true });
  fireEvent.compositionEnd(box());
  fireEvent.keyDown(box(), { key: "Enter", keyCode: 229 });
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

test("a chat that loads late doesn't take the focus from where a person types", () => {
  const search = document.body.appendChild(document.createElement("input"));
  search.focus();
  setUp();
  expect(document.activeElement).toBe(search);
  search.remove();
});

test("text offered from outside is put into the box to be completed", () => {
  setUp({ offered: { text: "Remember that " } });
  expect(box().value).toBe("Remember that ");
});

const FACTS = { file_id: "f_1", path: "notes.txt", media_type: "text/plain", size: 5, version: 1 };

/** A gateway that answers uploads as told, one after the other. */
function uploads(...answers: (() => Response)[]) {
  return gatewayAnswering(
    () => answers.shift()?.() ?? Response.json({ items: [FACTS], next_cursor: null }, { status: 201 }),
  );
}

const notes = () => new File(["hello"], "notes.txt", { type: "text/plain" });
const chips = () => screen.getByRole("list", { name: "Files to send" });

test("a file that is chosen is uploaded at once and goes with the message, also alone", async () => {
  const asked = uploads();
  const { onSend, container } = setUp();
  await userEvent.upload(screen.getByLabelText("Files to attach"), notes());
  await vi.waitFor(() =>
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Send" }).disabled).toBe(false),
  );
  expect(asked).toMatchObject([{ method: "POST", path: "/files" }]);
  expect(asked[0]?.body).toMatch(/name="session_id"\s+s_1[\s\S]*name="path"\s+notes.txt[\s\S]*hello/);
  expect(chips().textContent).toContain("notes.txt");
  expect(await violations(container)).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  expect(onSend.mock.calls).toMatchObject([["", [{ fileId: "f_1" }], null]]);
  expect(screen.queryByRole("list", { name: "Files to send" })).toBeNull();
});

test("a file that could not be uploaded says why and can go again; until then nothing is sent", async () => {
  uploads(() => Response.json({ kind: "too_large", detail: "The agent's files are full." }, { status: 413 }));
  const { onSend } = setUp();
  await userEvent.type(box(), "See this");
  await userEvent.upload(screen.getByLabelText("Files to attach"), notes());
  expect((await screen.findByRole("alert")).textContent).toBe("The agent's files are full.");
  await userEvent.type(box(), "{Enter}");
  expect(onSend).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Upload notes.txt again" }));
  await vi.waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  await userEvent.type(box(), "{Enter}");
  expect(onSend.mock.calls).toMatchObject([["See this", [{ fileId: "f_1" }], null]]);
});

test("files are taken when they are pasted or dropped, and can be taken away again", async () => {
  uploads();
  setUp();
  fireEvent.paste(box(), { clipboardData: { files: [notes()] } });
  expect(chips().textContent).toMatch(/notes-\d{8}-\d{6}\.txt/);
  fireEvent.drop(window, { dataTransfer: { types: ["Files"], items: [], files: [notes()] } });
  await vi.waitFor(() => expect(chips().children).toHaveLength(2));
  for (const remove of screen.getAllByRole("button", { name: /^Remove/ })) await userEvent.click(remove);
  expect(screen.queryByRole("list", { name: "Files to send" })).toBeNull();
});

test("files that come at the same moment don't take each other's place", async () => {
  uploads();
  setUp();
  act(() => {
    fireEvent.paste(box(), { clipboardData: { files: [notes()] } });
    fireEvent.drop(window, { dataTransfer: { types: ["Files"], items: [], files: [notes()] } });
  });
  await vi.waitFor(() => expect(chips().children).toHaveLength(2));
  await vi.waitFor(() => expect(chips().textContent).not.toContain("uploading"));
});

test("what was uploaded survives a reload", async () => {
  uploads();
  const { unmount } = setUp();
  await userEvent.upload(screen.getByLabelText("Files to attach"), notes());
  await vi.waitFor(() => expect(sessionStorage.getItem("foldline.attached.s_1")).toContain("f_1"));
  unmount();
  setUp();
  expect(chips().textContent).toContain("notes.txt");
});

const REVIEW = {
  server: "library",
  name: "review",
  title: "Review it",
  description: "Review a work.",
  arguments: [
    { name: "work", description: "Which one.", required: true },
    { name: "tone", description: "", required: false },
  ],
};
const SUMMARY = { server: "library", name: "summary", title: "", description: "In short.", arguments: [] };

function prompts(found: object) {
  return gatewayAnswering(() =>
    Response.json({ items: [], silent: [], flaws: [], ...found, next_cursor: null }),
  );
}

const options = () => screen.getByRole("listbox", { name: "Prompts of MCP servers" });

test("a slash offers the servers' prompts, filtered by what is typed; one is filled in and sent", async () => {
  const asked = prompts({ items: [REVIEW, SUMMARY] });
  const { onSend, container } = setUp();
  await userEvent.type(box(), "/");
  await screen.findByRole("option", { name: /review/ });
  expect(asked).toMatchObject([{ method: "GET", path: "/agents/a_1/mcp-prompts" }]);
  expect(options().children).toHaveLength(2);
  expect(await violations(container)).toEqual([]);
  await userEvent.type(box(), "{ArrowDown}");
  expect(box().getAttribute("aria-activedescendant")).toBe(options().children[1]?.id);
  await userEvent.type(box(), "rev");
  expect(options().children).toHaveLength(1);
  await userEvent.type(box(), "{Enter}");
  const form = screen.getByRole("form", { name: "Prompt review" });
  expect(await violations(container)).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  expect(form.textContent).toContain("Fill this in.");
  expect(onSend).not.toHaveBeenCalled();
  await userEvent.type(screen.getByLabelText(/work/), "Moby-Dick");
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  expect(onSend.mock.calls).toEqual([
    ["", [], { server: "library", name: "review", arguments: { work: "Moby-Dick" } }],
  ]);
  expect(box().value).toBe("");
});

test("without prompts a slash is plain text, also for Enter", async () => {
  const asked = prompts({});
  const { onSend } = setUp();
  await userEvent.type(box(), "/etc");
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  await userEvent.type(box(), "{Enter}");
  expect(screen.queryByRole("listbox")).toBeNull();
  expect(onSend.mock.calls).toEqual([["/etc", [], null]]);
});

test("a server that is down is said, and Escape closes the menu without stopping the agent", async () => {
  prompts({
    items: [SUMMARY],
    silent: [{ server: "far", why: "It can't be reached." }],
    flaws: [{ server: "odd", what: "the prompt x can't be used: 'name' is missing" }],
  });
  setUp();
  await userEvent.type(box(), "/");
  expect(await screen.findByText(/far lists no prompts now: It can't be reached\./)).toBeTruthy();
  expect(screen.getByText(/odd: the prompt x can't be used: 'name' is missing/)).toBeTruthy();
  await userEvent.type(box(), "{Escape}");
  expect(screen.queryByRole("listbox")).toBeNull();
  await userEvent.clear(box());
  await userEvent.type(box(), "/");
  await userEvent.click(await screen.findByRole("option", { name: /summary/ }));
  await userEvent.keyboard("{Escape}");
  expect(document.activeElement).toBe(box());
  expect(box().value).toBe("");
});
