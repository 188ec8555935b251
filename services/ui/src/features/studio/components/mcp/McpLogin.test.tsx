import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { McpLogin } from "./McpLogin";

const SERVER = {
  name: "far",
  transport: { kind: "http", url: "https://mcp.example/", headers: {} },
  enabled: true,
  timeout_s: 30,
  accepted: 0,
  version: 1,
  sequence: 1,
  written_at: "2026-01-01T00:00:00Z",
  actor: "user",
};
const URL_ = "https://login.example/authorize?client_id=c&state=s&redirect_uri=http%3A%2F%2F127.0.0.1%2F";
type Shown = Parameters<typeof McpLogin>[0]["server"];
const needing = (changed_at: string) =>
  ({ ...SERVER, status: { state: "needs_login", changed_at, login: "" } }) as unknown as Shown;

test("a page to log in at is shown whole and opens by a click alone, and only for this need", async () => {
  const opened = vi.spyOn(window, "open");
  vi.spyOn(window, "fetch").mockImplementation(async () =>
    Response.json({ url: URL_, issuer: "https://login.example" }),
  );
  const props = { agentId: "main", onDone: () => {} };
  const { container, rerender } = render(<McpLogin {...props} server={needing("a")} />);
  await userEvent.click(screen.getByRole("button", { name: /Log in/ }));
  const link = await screen.findByRole("link", { name: /Open the page/ });
  expect(screen.getByText(URL_)).toBeTruthy();
  expect(link.getAttribute("href")).toBe(URL_);
  expect(link.getAttribute("rel")).toBe("noopener noreferrer");
  expect(link.getAttribute("target")).toBe("_blank");
  expect(opened).not.toHaveBeenCalled();
  expect(await violations(container)).toEqual([]);
  rerender(<McpLogin {...props} server={needing("b")} />);
  expect(screen.queryByText(URL_)).toBeNull();
  expect(screen.getByRole("button", { name: /Log in/ })).toBeTruthy();
});

test("a program is logged in by the click, without a page", async () => {
  vi.spyOn(window, "fetch").mockImplementation(async () =>
    Response.json({ url: "", issuer: "https://login.example" }),
  );
  const done = vi.fn();
  render(<McpLogin agentId="main" server={needing("a")} onDone={done} />);
  await userEvent.click(screen.getByRole("button", { name: /Log in/ }));
  await vi.waitFor(() => expect(done).toHaveBeenCalled());
  expect(screen.queryByRole("link")).toBeNull();
});

test("whoever is logged in sees where, and logs out", async () => {
  const asked: string[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (request) => {
    const { method, url } = request as Request;
    asked.push(`${method} ${new URL(url).pathname}`);
    return Response.json({ name: "far" });
  });
  const done = vi.fn();
  const status = { state: "connected", changed_at: "a", login: "https://login.example" };
  const server = { ...SERVER, status } as unknown as Shown;
  render(<McpLogin agentId="main" server={server} onDone={done} />);
  expect(screen.getByText(/logged in at https:\/\/login.example/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: /Log out/ }));
  await vi.waitFor(() => expect(done).toHaveBeenCalled());
  expect(asked).toEqual(["POST /api/v1/agents/main/mcp-servers/far:log-out"]);
});

test("a server that wants no login shows nothing of one", () => {
  const server = {
    ...SERVER,
    status: { state: "connected", changed_at: "a", login: "" },
  } as unknown as Shown;
  const { container } = render(<McpLogin agentId="main" server={server} onDone={() => {}} />);
  expect(container.textContent).toBe("");
});
