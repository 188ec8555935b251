import { act, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { chatHref, go, historyHref, NEW_CHAT, studioHref } from "../lib/route";
import { event, message, page, session } from "../testing/given";
import { withRows } from "../testing/rows";
import { frameOf, streamsByHand } from "../testing/streams";
import { App } from "./App";

const ONE = session({ id: "s_1", title: "First chat", last_sequence: 7 });
const TWO = session({ id: "s_2", title: "Second chat", last_sequence: 5 });

/** A gateway with two chats and an agent that has nothing. */
function answer(path: string): Response {
  if (path === "/sessions") return Response.json({ items: [ONE, TWO], next_cursor: null });
  if (path.endsWith("/settings"))
    return Response.json({ items: [{ name: "model", value: "demo" }], next_cursor: null });
  if (path === "/attention") return Response.json({ items: [], total: 0, next_cursor: null });
  if (path === "/inbox") return Response.json({ items: [], total: 0, next_cursor: null });
  if (path === "/agents") return Response.json({ items: [], next_cursor: null });
  const [, , id, part] = path.split("/");
  const found = id === "s_2" ? TWO : ONE;
  const said = message(4, "assistant", `This is ${found.title}`);
  if (part === "messages") return Response.json({ ...page([said], { sequence: 9 }), session: found });
  if (part === "timeline") return Response.json({ items: [], next_cursor: null, count: 0 });
  if (part === "outline") return Response.json({ events: [], turns: [], left_out: 0, changes: [] });
  if (path.startsWith("/sessions/") && part === "state")
    return Response.json({ ...found, messages: [], queue: [], earlier: 0 });
  if (path.endsWith("/moment")) return Response.json({ at: null, kinds: [] });
  if (path.startsWith("/sessions/")) return Response.json(found);
  return Response.json({ items: [], keys: [], secrets: [], next_cursor: null });
}

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
  }));
});
// What is fetched when it is met is there: to make it here takes seconds, in which much else happens.
beforeAll(async () => {
  await import("../features/studio/components/StudioPage");
}, 60_000);

afterEach(() => {
  vi.unstubAllGlobals();
  go(NEW_CHAT);
});

/** A session's turn begins. */
const works = (sequence: number, id: string) =>
  frameOf(withRows(event(sequence, "turn_started", {}, id), { session: { status: "running" } }));

test("a tab has one connection, whatever it shows and wherever its user goes", async () => {
  const { streams, open } = streamsByHand(answer);
  const queries = (of = streams) => of.map(({ query }) => query);
  go(chatHref("s_1"));
  render(<App />);
  await screen.findByText("This is First chat");
  await waitFor(() => expect(queries()).toEqual(["?after=7&watch=s_1&rows=true"]));

  // What happens reaches the chat, and the list beside it.
  act(() => streams[0]?.write(works(10, "s_1") + works(11, "s_2")));
  await waitFor(() => expect(screen.getAllByText("Working").length).toBeGreaterThan(2));

  act(() => go(studioHref("main", "tools")));
  await screen.findByText(/has made no tools yet/);
  act(() => go(historyHref("s_1")));
  await screen.findByRole("slider", { name: "The moment shown" });
  expect(queries(open())).toEqual(["?after=7&watch=s_1&rows=true"]);
  expect(streams).toHaveLength(1);

  act(() => go(chatHref("s_2")));
  await screen.findByText("This is Second chat");
  await waitFor(() => expect(queries().at(-1)).toBe("?after=9&watch=s_2&rows=true"));
  expect(open()).toHaveLength(1);
  // One to watch it, and, since its page ends before what that had told, one that resumes after the page.
  expect(streams).toHaveLength(3);
});

test("the browser's tab is called as what it shows", async () => {
  streamsByHand(answer);
  go(chatHref("s_2"));
  render(<App />);
  await waitFor(() => expect(document.title).toBe("Second chat"));
  act(() => go(studioHref("main", "tools")));
  await waitFor(() => expect(document.title).toBe("Foldline"));
});

test("without a token there is only the way in, and the place is kept", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  streamsByHand(() => Response.json({}, { status: 401 }));
  go(chatHref("s_2"));
  render(<App />);
  await screen.findByRole("heading", { name: "Log in to Foldline" });
  expect(screen.getByText("foldline token rotate").closest("p")?.textContent).toContain("new link");
  expect(sessionStorage.getItem("foldline.return")).toBe(chatHref("s_2"));
});

test("a page that fails says what is safe, and leaves the chats and the other pages alone", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const broken = { ...TWO, title: { not: "a title" } };
  streamsByHand((path) =>
    path === "/sessions/s_2/messages" ? Response.json({ ...page([]), session: broken }) : answer(path),
  );
  go(chatHref("s_2"));
  render(<App />);
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("Your chats are safe");
  screen.getByRole("button", { name: "Try again" });

  act(() => screen.getByRole("link", { name: /First chat/ }).click());
  await screen.findByText("This is First chat");
  expect(screen.queryByRole("alert")).toBeNull();
});
