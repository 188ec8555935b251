import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../testing/axe";
import { session } from "../../../testing/given";
import type { ListState } from "../api/openSessionList";
import { EMPTY_LIST, withSessions } from "../fold/view";
import { SessionList } from "./SessionList";

const now = new Date().toISOString();
const sessions = [
  session({ id: "s_1", title: "Parent", active_at: now }),
  session({ id: "s_2", title: "Child", parent_id: "s_1", active_at: now, status: "waiting_for_input" }),
];

function show(change: Partial<ListState> = {}) {
  const list = {
    get: vi.fn(),
    subscribe: vi.fn(),
    search: vi.fn(),
    loadMore: vi.fn(),
    act: vi.fn(),
    rename: vi.fn(),
    erase: vi.fn(),
    reload: vi.fn(),
    close: vi.fn(),
  };
  const state: ListState = {
    view: withSessions(EMPTY_LIST, sessions),
    loaded: true,
    failure: null,
    cursor: null,
    loadingMore: false,
    search: { text: "", found: {} },
    ...change,
  };
  const onGo = vi.fn();
  return { list, onGo, ...render(<SessionList list={list} state={state} current="s_1" onGo={onGo} />) };
}

test("children stand below their parent, with their status in words", async () => {
  const { container } = show();
  const parent = screen.getByRole("link", { name: /Parent/ });
  expect(parent.getAttribute("aria-current")).toBe("page");
  const item = parent.closest("li");
  expect(
    within(item as HTMLElement).getByRole("link", { name: /Waiting for your answer ?Child/ }),
  ).toBeTruthy();
  expect(await violations(container)).toEqual([]);
});

test("a search shows what matches by title at once, and what the server finds in messages", () => {
  show({ search: { text: "child", found: null } });
  expect(screen.queryByRole("link", { name: /Parent/ })).toBeNull();
  expect(screen.getByRole("link", { name: /Child/ })).toBeTruthy();
  expect(screen.getByText("Searching…")).toBeTruthy();
});

test("typing searches, Escape ends the search", async () => {
  const { list } = show();
  await userEvent.type(screen.getByLabelText("Search chats"), "te{Escape}");
  expect(list.search.mock.calls.map(([text]) => text)).toEqual(["t", "te", ""]);
});

test("going somewhere closes the drawer", async () => {
  const { onGo } = show();
  await userEvent.click(screen.getByRole("link", { name: /Child/ }));
  expect(onGo).toHaveBeenCalledOnce();
});

test("an empty list and a failed one say so", async () => {
  const { unmount } = show({ view: EMPTY_LIST });
  expect(screen.getByText("No chats yet.")).toBeTruthy();
  unmount();
  const { list } = show({ failure: "Postgres is away" });
  expect(screen.getByRole("alert").textContent).toContain("Postgres is away");
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(list.reload).toHaveBeenCalledOnce();
});

const snippet = [
  { text: "we drank **", match: false },
  { text: "tea", match: true },
  { text: "** ", match: false },
  { text: "there", match: true },
];
const found = { s_1: { snippet }, s_2: null };

test("of what was found a piece is shown, with all that was searched for marked, and in how many chats", () => {
  show({ search: { text: "tea", found } });
  expect(screen.getByText("2 chats")).toBeTruthy();
  for (const word of ["tea", "there"]) expect(screen.getByText(word).tagName).toBe("MARK");
  expect(screen.getByRole("link", { name: /Parent/ }).textContent).toContain("we drank tea there");
});

test("a row's menu pins, archives, renames", async () => {
  const { list } = show();
  const [first] = screen.getAllByRole("button", { name: /^More about/ });
  await userEvent.click(first as HTMLElement);
  await userEvent.click(screen.getByRole("button", { name: "Pin" }));
  expect(list.act).toHaveBeenCalledWith("pin", ["s_1"]);
  await userEvent.click(first as HTMLElement);
  await userEvent.click(screen.getByRole("button", { name: "Archive" }));
  expect(list.act).toHaveBeenLastCalledWith("archive", ["s_1"]);
  await userEvent.click(first as HTMLElement);
  await userEvent.click(screen.getByRole("button", { name: "Rename" }));
  const title = screen.getByLabelText("Title of the chat");
  await userEvent.clear(title);
  await userEvent.type(title, "Other{Enter}");
  expect(list.rename).toHaveBeenCalledWith("s_1", "Other");
});

test("several are chosen and archived at once; a sub-session is not among those that can be", async () => {
  const { list } = show();
  const [first] = screen.getAllByRole("button", { name: /^More about/ });
  await userEvent.click(first as HTMLElement);
  await userEvent.click(screen.getByRole("button", { name: "Select several" }));
  await userEvent.click(screen.getByLabelText("Select Child"));
  expect(screen.getByText("2 selected")).toBeTruthy();
  await userEvent.click(
    within(screen.getByRole("group", { name: "Selected chats" })).getByRole("button", { name: "Archive" }),
  );
  expect(list.act).toHaveBeenCalledWith("archive", ["s_1"]);
  expect(screen.queryByText("2 selected")).toBeNull();
});
