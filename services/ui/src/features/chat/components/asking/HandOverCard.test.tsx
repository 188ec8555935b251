import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { toolCall } from "../../../../testing/given";
import { HandOverCard } from "./HandOverCard";

const SHOW = { kind: "browser_hand_over", reason: "Log in", instructions: "Use *your* account" };
const ASKED = toolCall({ tool: "browser_hand_over", status: "pending", show: SHOW, result: null });
const VIEW = {
  version: 3,
  image: "/9j/",
  width: 1280,
  height: 800,
  page: "p1",
  pages: [{ page: "p1", title: "Log in", url: "https://tea.test/in" }],
  url: "https://tea.test/in",
  title: "Log in",
  editable: false,
  secret: false,
  dialog: { kind: "confirm", message: "Leave?", default: "" },
  notes: [],
  viewers: 1,
  ended: null,
  reason: null,
};

/** A gateway that shows one picture and takes what is done; what it was asked for. */
function gateway() {
  const posted: { path: string; body: unknown }[] = [];
  let looks = 0;
  vi.spyOn(window, "fetch").mockImplementation(async (request) => {
    const asked = request as Request;
    const path = new URL(asked.url).pathname.split("/browser")[1] ?? "";
    if (asked.method === "GET") {
      looks += 1;
      return looks === 1 ? Response.json(VIEW) : new Promise<Response>(() => undefined);
    }
    posted.push({ path, body: await asked.json() });
    if (path === "/end") return Response.json({ ended: "done", kept: [], reason: null });
    return Response.json({ editable: true, secret: true, problem: null });
  });
  return posted;
}

test("the card says why, and the live view is closed by Done, with the login kept if that is ticked", async () => {
  const posted = gateway();
  const { container } = render(<HandOverCard call={ASKED} sessionId="s_1" />);
  expect(screen.getByRole("article").textContent).toContain("take over the browser: Log in");
  expect(await violations(container)).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Open the browser" }));
  expect((await screen.findByText("tea.test")).tagName).toBe("STRONG");
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  const page = screen.getByRole("application");
  page.focus();
  fireEvent.keyDown(page, { key: "a" });
  fireEvent.paste(page, { clipboardData: { getData: () => "pasted" } });
  expect(await screen.findByLabelText("Type a password into the page")).toHaveProperty("type", "password");
  fireEvent.keyDown(page, { key: "F6" });
  expect(document.activeElement?.textContent).toBe("Done");
  await userEvent.click(screen.getByLabelText("Keep this login for this agent"));
  await userEvent.click(screen.getByRole("button", { name: "Done" }));
  await vi.waitFor(() => expect(screen.queryByRole("application")).toBeNull());
  const inputs = posted.flatMap(({ body }) => (body as { inputs?: unknown[] }).inputs ?? []);
  expect(inputs).toContainEqual({ type: "dialog", accept: false, text: "" });
  expect(inputs).toContainEqual({ type: "key", key: "a", ctrl: false, alt: false, shift: false });
  expect(inputs).toContainEqual({ type: "text", text: "pasted" });
  expect(posted.at(-1)).toEqual({ path: ":end", body: { done: true, keep_login: true } });
});

test("who won't says so from the card", async () => {
  const posted = gateway();
  render(<HandOverCard call={ASKED} sessionId="s_1" />);
  await act(() => userEvent.click(screen.getByRole("button", { name: "I won't" })));
  await vi.waitFor(() =>
    expect(posted).toEqual([{ path: ":end", body: { done: false, keep_login: false } }]),
  );
});

test("a call that is over can't be opened", () => {
  const result = { ended: "context_lost", reason: "Chromium died" };
  render(<HandOverCard call={toolCall({ ...ASKED, status: "completed", result })} sessionId="s_1" />);
  expect(screen.queryAllByRole("button")).toEqual([]);
  expect(screen.getByText("The browser was lost: Chromium died.")).toBeTruthy();
});
