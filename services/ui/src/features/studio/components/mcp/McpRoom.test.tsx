import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { McpRoom } from "./McpRoom";

const DEFINITION = { title: "", description: "Adds.", parameters: "{}", hints: {} };
const TOOL = { name: "add", offered_as: "s__add", standing: "changed", read_only: false, now: DEFINITION };
const SERVER = {
  name: "s",
  transport: { kind: "stdio", command: "server", args: ["x"], env: {}, cwd: null },
  enabled: true,
  timeout_s: 30,
  accepted: 1,
  sampling: false,
  version: 3,
  status: { state: "changed", changed_at: "2026-01-01T00:00:00Z" },
};

test("a tool that changed is shown beside what was accepted, and accepted as it was seen", async () => {
  const bodies: unknown[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (request) => {
    const asked = request as Request;
    const path = new URL(asked.url).pathname;
    if (path.endsWith(":accept")) {
      bodies.push(await asked.json());
      return Response.json(SERVER);
    }
    if (!path.endsWith("/tools")) return Response.json({ items: [SERVER], next_cursor: null });
    const before = { ...DEFINITION, description: "Added." };
    return Response.json({ version: 7, items: [{ ...TOOL, before }], gone: ["old"], known_as: "s" });
  });
  const { container } = render(<McpRoom agentId="main" revision="1" />);
  await userEvent.click(await screen.findByRole("button", { name: /Tools/ }, { timeout: 10_000 }));
  expect(await screen.findByText(/Added\./)).toBeTruthy();
  expect(screen.getByText(/Waits for you/)).toBeTruthy();
  expect(await violations(container)).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Accept add" }));
  await vi.waitFor(() => expect(bodies).toEqual([{ accept: ["add"], version: 7 }]));
});

test("servers are taken from what another program keeps", async () => {
  const bodies: unknown[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (request) => {
    const asked = request as Request;
    if (asked.method !== "POST") return Response.json({ items: [], next_cursor: null });
    bodies.push(await asked.json());
    return Response.json({ items: [], left_out: [], next_cursor: null });
  });
  render(<McpRoom agentId="main" revision="1" />);
  const field = await screen.findByLabelText(/As JSON/, {}, { timeout: 10_000 });
  await userEvent.click(field);
  await userEvent.paste('{"mcpServers": {"n": {"command": "c"}}}');
  await userEvent.click(screen.getByRole("button", { name: "Add" }));
  await vi.waitFor(() => expect(bodies).toEqual([{ mcpServers: { n: { command: "c" } }, replace: false }]));
});

test("to remove one is asked, and it can be had back", async () => {
  const sent: string[] = [];
  let there = true;
  vi.spyOn(window, "fetch").mockImplementation(async (request) => {
    const { method, url } = request as Request;
    const path = new URL(url).pathname;
    if (method !== "GET") sent.push(`${method} ${path.split("/mcp-servers/")[1]}`);
    if (method === "DELETE") there = false;
    if (path.endsWith(":revert")) {
      sent.push(JSON.stringify(await (request as Request).json()));
      there = true;
      return Response.json(SERVER);
    }
    return Response.json(method === "DELETE" ? { deleted: true } : { items: there ? [SERVER] : [] });
  });
  const { container } = render(<McpRoom agentId="main" revision="1" />);
  await userEvent.click(await screen.findByRole("button", { name: /^Remove/ }, { timeout: 10_000 }));
  expect(sent).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await userEvent.click(screen.getByRole("button", { name: /^Remove/ }));
  await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
  const undo = await screen.findByRole("button", { name: /^Undo/ });
  expect(await violations(container)).toEqual([]);
  await userEvent.click(undo);
  expect(await screen.findByRole("button", { name: /^Remove/ })).toBeTruthy();
  expect(sent).toEqual(["DELETE s", "POST s:revert", '{"version":3}']);
});

test("a person allows a server to ask a model, and takes it back", async () => {
  let server = SERVER;
  vi.spyOn(window, "fetch").mockImplementation(async (request) => {
    const asked = request as Request;
    if (new URL(asked.url).pathname.endsWith(":allow")) server = { ...SERVER, ...(await asked.json()) };
    return Response.json(asked.method === "GET" ? { items: [server] } : server);
  });
  render(<McpRoom agentId="main" revision="1" />);
  const box = await screen.findByLabelText(/may ask a model/, {}, { timeout: 10_000 });
  expect(box).toHaveProperty("checked", false);
  await userEvent.click(box);
  await vi.waitFor(() => expect(box).toHaveProperty("checked", true));
  await userEvent.click(box);
  await vi.waitFor(() => expect(box).toHaveProperty("checked", false));
});
