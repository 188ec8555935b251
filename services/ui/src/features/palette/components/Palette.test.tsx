import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Asked, gatewayAnswering } from "../../../testing/gateway";
import { session } from "../../../testing/given";
import { shelves } from "../../studio/fold/shelves";
import { Palette, type PaletteProps } from "./Palette";

const OPEN = session({ id: "s_1", title: "Trip", status: "running" });
const OLD = session({ id: "s_9", title: "Music", status: "completed" });

let asked: Asked[] = [];
const paths = () => asked.map(({ method, path }) => `${method} ${path}`);

/** A gateway that finds a chat by its words, and can't stop anything. */
function answer({ path }: Asked): Response {
  if (path === "/agents") return Response.json({ items: [], next_cursor: null });
  if (path.startsWith("/sessions?")) return Response.json({ items: [OLD], next_cursor: null });
  return Response.json(
    { kind: "session_closed", detail: "It is archived. Reopen it first" },
    { status: 409 },
  );
}

function open(change: Partial<PaletteProps> = {}) {
  const onClose = vi.fn();
  const rewinding = {
    rewind: vi.fn(),
    fork: vi.fn(),
    again: vi.fn(),
    seen: vi.fn(),
    rewindAgent: vi.fn(),
    vary: vi.fn(),
  };
  const props = { sessions: [OPEN], session: OPEN, agentId: "main", pages: [], rooms: [], ...change };
  render(<Palette {...props} rewinding={rewinding} onClose={onClose} onSheet={() => {}} />);
  return { onClose, rewinding, user: userEvent.setup() };
}

beforeEach(() => {
  asked = gatewayAnswering(answer);
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  Element.prototype.scrollIntoView = () => {}; // jsdom has none
});
afterEach(() => vi.unstubAllGlobals());

test("what fails is said in the palette, which stays open to choose anew", async () => {
  const { onClose, rewinding, user } = open();
  await user.click(screen.getByRole("option", { name: /^Stop/ }));
  expect((await screen.findByRole("alert")).textContent).toBe("It is archived. Reopen it first");
  expect(paths()).toContain("POST /sessions/s_1:interrupt");
  expect(onClose).not.toHaveBeenCalled();
  await user.click(screen.getByRole("option", { name: /^Fork/ }));
  expect(rewinding.fork).toHaveBeenCalledWith({ sessionId: "s_1", at: OPEN.last_sequence }, "");
  expect(onClose).toHaveBeenCalledOnce();
});

test("a chat is found by what was said in it, once nobody types on", async () => {
  const { user } = open();
  await user.type(screen.getByRole("combobox"), "saxophone");
  expect((await screen.findByRole("option", { name: /Music/ })).textContent).toContain("archived");
  expect(screen.queryByRole("option", { name: /Trip/ })).toBeNull();
  await waitFor(() =>
    expect(paths().filter((one) => one.startsWith("GET /sessions?q=saxophone"))).toHaveLength(1),
  );
});

test("without a chat in sight nothing is offered to do with one", () => {
  open({ session: null });
  expect(screen.queryByText("In this chat")).toBeNull();
  expect(screen.getByRole("option", { name: "New chat" })).toBeTruthy();
});

test.each([
  ["token", "Secrets"],
  ["chat channel", "Secrets"],
  ["extension", "Packs"],
])("by %s one finds the room %s", async (typed, room) => {
  const { user } = open({ rooms: shelves() });
  await user.type(screen.getByRole("combobox"), typed);
  expect(await screen.findByRole("option", { name: room })).toBeTruthy();
  expect(screen.queryByRole("option", { name: "Dead letters" })).toBeNull();
});
