import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { timeOf } from "../../../../testing/given";
import { DelegatesRoom } from "./DelegatesRoom";

const SCOUT = { name: "scout", type: "a2a", url: "https://scout.test/a2a", secret: "SCOUT_TOKEN" };
const CODER = { name: "coder", type: "acp", command: "python3 coder.py" };

const version = (sequence: number, number: number) => ({
  ...{
    sequence,
    version: number,
    deleted: false,
    written_at: timeOf(sequence),
    session_id: null,
    actor: "user",
  },
  ...{ call_id: null, causation: null, replaced: null, outside: [] },
});
const VERSIONS = [version(9, 2), version(5, 1)];

/** A gateway that keeps what it is told, and whose delegates are ready. */
function gateway(delegates: object[] = [SCOUT, CODER]) {
  let kept = { delegates, version: 1 };
  const sent: { method: string; path: string; body: unknown }[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (given) => {
    const request = given as Request;
    const path = new URL(request.url).pathname;
    if (path.endsWith("/versions")) return Response.json({ items: VERSIONS, next_cursor: null });
    if (request.method !== "GET") {
      const text = await request.text();
      const body = text ? JSON.parse(text) : null;
      sent.push({ method: request.method, path, body });
      if (path.endsWith(":test")) return Response.json({ answer: "ready" });
      if (path.endsWith(":revert")) kept = { delegates: [SCOUT], version: 3 };
      else kept = { delegates: body.delegates, version: body.version + 1 };
    }
    return Response.json({
      ...kept,
      sequence: 1,
      written_at: null,
      actor: "user",
      session_id: null,
      call_id: null,
    });
  });
  return sent;
}

const room = () => render(<DelegatesRoom agentId="main" revision="1" titleOf={() => null} />);

test("those that there are stand with what they are, and can be tested and removed", async () => {
  const sent = gateway();
  const { container } = room();
  const scout = await screen.findByRole("listitem", { name: "scout" }, { timeout: 10_000 });
  expect(scout.textContent).toContain("by the secret SCOUT_TOKEN");
  expect(await violations(container)).toEqual([]);
  expect(screen.queryByRole("button", { name: "Test coder" })).toBeNull();
  expect(screen.getByRole("listitem", { name: "coder" }).textContent).toContain("ask for it in a chat");
  await userEvent.click(within(scout).getByRole("button", { name: "Test scout" }));
  expect(await within(scout).findByText("It answered: ready")).toBeTruthy();
  expect(sent[0]?.path).toBe("/api/v1/agents/main/delegates/scout:test");
  await userEvent.click(within(scout).getByRole("button", { name: "Remove scout" }));
  await vi.waitFor(() => expect(sent[1]?.body).toEqual({ delegates: [CODER], version: 1 }));
});

test("a new one is sent with what goes with its type alone", async () => {
  const sent = gateway([]);
  const { container } = room();
  await userEvent.click(await screen.findByRole("button", { name: "Add a delegate" }, { timeout: 10_000 }));
  const form = screen.getByRole("form", { name: "New delegate" });
  await userEvent.type(within(form).getByLabelText("Name"), "mini");
  await userEvent.type(within(form).getByLabelText("URL"), "https://mini.test/v1");
  await userEvent.selectOptions(within(form).getByLabelText("What it is"), "openai");
  await userEvent.type(within(form).getByLabelText("Model"), "mini-1");
  expect(await violations(container)).toEqual([]);
  await userEvent.click(within(form).getByRole("button", { name: "Save" }));
  const mini = { name: "mini", type: "openai", url: "https://mini.test/v1", model: "mini-1" };
  await vi.waitFor(() => expect(sent[0]?.body).toEqual({ delegates: [mini], version: 1 }));
  expect(await screen.findByRole("listitem", { name: "mini" })).toBeTruthy();
});

test("one is changed in its place, and a coding agent has a command alone", async () => {
  const sent = gateway();
  room();
  await userEvent.click(await screen.findByRole("button", { name: "Edit scout" }, { timeout: 10_000 }));
  const form = screen.getByRole("form", { name: "Edit scout" });
  await userEvent.selectOptions(within(form).getByLabelText("What it is"), "acp");
  await userEvent.type(within(form).getByLabelText("Command"), "scout --acp");
  await userEvent.click(within(form).getByRole("button", { name: "Save" }));
  const scout = { name: "scout", type: "acp", command: "scout --acp" };
  await vi.waitFor(() => expect(sent[0]?.body).toEqual({ delegates: [scout, CODER], version: 1 }));
});

test("an earlier version is brought back", async () => {
  const sent = gateway();
  room();
  const versions = await screen.findByRole(
    "region",
    { name: "Versions of the delegates" },
    { timeout: 10_000 },
  );
  const back = await within(versions).findAllByRole("button", { name: /^Revert to/ });
  expect(back.map((one) => one.textContent)).toEqual(["Revert to 1 of event 5"]);
  await userEvent.click(back[0] as HTMLElement);
  await vi.waitFor(() => expect(screen.queryByRole("listitem", { name: "coder" })).toBeNull());
  expect(sent).toEqual([
    { method: "POST", path: "/api/v1/agents/main/delegates:revert", body: { sequence: 5 } },
  ]);
});
