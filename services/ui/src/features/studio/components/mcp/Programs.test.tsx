import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { Programs } from "./Programs";

const DESK = {
  name: "desk",
  created_at: "2026-07-30T10:00:00.000Z",
  agent_id: "main",
  rights: ["read", "say"],
  service: false,
};

/** A gateway that keeps what it is told. */
function gateway(offered: Record<string, string> = {}, made: object[] = []) {
  let tokens = made;
  let exposed: { names: string[]; version: number } = { names: [], version: 0 };
  const sent: string[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (given) => {
    const request = given as Request;
    const { pathname } = new URL(request.url);
    const body = request.method === "GET" ? "" : await request.text();
    if (request.method !== "GET") sent.push(`${request.method} ${pathname} ${body}`);
    if (pathname.endsWith("/exposed-tools")) {
      if (request.method === "PUT") exposed = { names: JSON.parse(body).names, version: exposed.version + 1 };
      return Response.json({
        ...exposed,
        offered_as: offered,
        sequence: null,
        written_at: null,
        actor: null,
      });
    }
    if (request.method === "POST") {
      tokens = [DESK];
      return Response.json({ program: DESK, token: "pt_desk_secret" }, { status: 201 });
    }
    if (request.method === "DELETE") {
      tokens = [];
      return Response.json({ name: "desk" });
    }
    return Response.json({ items: tokens, next_cursor: null });
  });
  return sent;
}

test("a program is let in for what is ticked, its token is shown once, and it is revoked", async () => {
  const sent = gateway();
  const { container } = render(<Programs agentId="main" tools={[]} />);
  expect(await screen.findByText("No programs yet.", {}, { timeout: 10_000 })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Let a program in" }));
  await userEvent.type(screen.getByLabelText("Name"), "Desk");
  await userEvent.click(screen.getByLabelText("fork sessions"));
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("pt_desk_secret")).toBeTruthy();
  expect(sent[0]).toBe(
    'POST /api/v1/program-tokens {"name":"desk","agent_id":"main","rights":["read","say","fork"]}',
  );
  expect(await violations(container)).toEqual([]);
  await userEvent.click(await screen.findByRole("button", { name: /Revoke/ }));
  expect(await screen.findByText("No programs yet.")).toBeTruthy();
  expect(sent[1]).toContain("DELETE /api/v1/program-tokens/desk");
});

test("a tool is exposed by its name, and no longer", async () => {
  const sent = gateway();
  render(<Programs agentId="main" tools={["brew", "warm"]} />);
  const warm = await screen.findByRole("checkbox", { name: "warm" }, { timeout: 10_000 });
  await userEvent.click(warm);
  await vi.waitFor(() => expect(warm).toHaveProperty("checked", true));
  await userEvent.click(warm);
  await vi.waitFor(() => expect(warm).toHaveProperty("checked", false));
  expect(sent.map((one) => one.split(" ").pop())).toEqual([
    '{"names":["warm"],"version":0}',
    '{"names":[],"version":1}',
  ]);
});

test("what a tool is offered as stands beside its name", async () => {
  gateway({ brew: "prompt", warm: "warm://{cup}" });
  render(<Programs agentId="main" tools={["brew", "cool", "warm"]} />);
  expect(await screen.findByText("as a prompt", {}, { timeout: 10_000 })).toBeTruthy();
  expect(screen.getByText("at warm://{cup}")).toBeTruthy();
});

test("of a service's token it is said that revoking lasts until the next start", async () => {
  gateway({}, [{ ...DESK, service: true }]);
  render(<Programs agentId="main" tools={[]} />);
  expect(
    await screen.findByText(/a service, which gets a new token at the next start; may read/),
  ).toBeTruthy();
});
