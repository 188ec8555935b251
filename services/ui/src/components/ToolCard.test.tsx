import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { violations } from "../testing/axe";
import { toolCall } from "../testing/given";
import { ToolCard } from "./ToolCard";

const opened = async (call = toolCall()) => {
  const { container } = render(<ToolCard call={call} sessionId="s_1" />);
  await userEvent.click(screen.getByRole("button", { expanded: false }));
  await userEvent.click(screen.getAllByText("Details").at(-1) as HTMLElement);
  return container;
};

test("closed, it shows in words what it did, its status and duration", async () => {
  const { container } = render(<ToolCard call={toolCall()} sessionId="s_1" />);
  expect(screen.getByRole("button").textContent).toBe("DoneRead the stored value a12 ms");
  expect(await violations(container)).toEqual([]);
});

test("open, it shows arguments, result, attempts, runner and the raw events", async () => {
  const container = await opened(toolCall({ accounting: { attempt: 3 } }));
  expect(screen.getByRole("group", { name: "Arguments" }).textContent).toBe('{\n  "key": "a"\n}');
  expect(screen.getByRole("group", { name: "Result" }).textContent).toBe('{\n  "value": 1\n}');
  expect(screen.getByText("3")).toBeTruthy();
  expect(screen.getByText("runner-1")).toBeTruthy();
  const addresses = screen.getAllByRole("link").map((link) => link.getAttribute("href"));
  expect(addresses).toEqual([
    "api/v1/sessions/s_1/events?cursor=6&limit=1",
    "api/v1/sessions/s_1/events?cursor=8&limit=1",
  ]);
  expect(await violations(container)).toEqual([]);
});

test("open, it shows what the call took and did besides", async () => {
  const request = { host: "example.com", method: "GET", path: "/", verdict: "sent" as const };
  const usage = { input: 1000, output: 200, tokens: 1201 };
  await opened(
    toolCall({
      accounting: { usage, sent: { requests: [request], more: 4 }, sampled: [{ asked: "Which?" }] },
    }),
  );
  const facts = screen
    .getAllByRole("term")
    .map((term) => `${term.textContent}: ${term.nextSibling?.textContent}`);
  expect(facts).toEqual(
    expect.arrayContaining(["Tokens: 1,201", "Outgoing requests: 5", "Questions to models: 1"]),
  );
  expect(facts.join()).not.toContain("Commands");
});

test("it says what the model wrote where that was taken as something else", async () => {
  const container = await opened(toolCall({ arguments: { count: 5 }, as_sent: { count: "5" } }));
  const list = screen.getByRole("list", { name: "What the model wrote" });
  expect(list.textContent).toBe('The model wrote "5" for count; taken as 5');
  expect(await violations(container)).toEqual([]);
});

test("it says where material came from that nobody of the chat wrote", async () => {
  const from = (kind: "web" | "wake", name: string, session: string | null = "s_0") => ({
    ...{ kind, name, session_id: session, first_address: "12", count: 1, last_address: null },
  });
  const hosts = ["a.example", "b.example", "c.example", "d.example", "e.example", "f.example"];
  const container = await opened(toolCall({ outside: hosts.map((host) => from("web", host)) }));
  expect(container.textContent).toContain("Material from a.example (the web), b.example (the web)");
  expect(screen.getByRole("link", { name: "a.example (the web)" }).getAttribute("href")).toContain("s_0");
  expect(screen.queryByText("f.example (the web)")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "and 1 more" }));
  expect(screen.getByText("f.example (the web)")).toBeTruthy();
  expect(await violations(container)).toEqual([]);
  const imported = await opened(toolCall({ outside: [from("wake", "shop", null)] }));
  expect(imported.textContent).toContain("Material from shop (another service)");
  expect(screen.queryByRole("link", { name: /shop/ })).toBeNull();
  expect((await opened()).textContent).not.toContain("Material");
});

test("a failed call says of what kind, where and whether to try again", async () => {
  const error = { kind: "invalid_arguments", message: "must be a number", path: "/n", retryable: true };
  const container = await opened(toolCall({ tool: "set_state", status: "failed", error, result: null }));
  expect(screen.getByRole("button", { expanded: true }).textContent).toBe(
    "FailedFailed: set_state: amust be a number12 ms",
  );
  expect(container.textContent).toContain(
    "invalid_arguments must be a number (at /n) It may succeed if tried again.",
  );
  expect(screen.queryByRole("group", { name: "Result" })).toBeNull();
});

test("of a large result both ends are shown", async () => {
  const blob = { sha256: "0", size: 2_000_000 };
  await opened(toolCall({ result: null, excerpt: { head: "begin", tail: "end", blob, file_id: "f_1" } }));
  expect(screen.getByText(/Result: both ends of 2.0 MB/)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Download the whole" }).getAttribute("href")).toContain(
    "files/f_1/content",
  );
  expect(screen.getByRole("group", { name: "Result" }).textContent).toBe("begin\n⋯\nend");
});

test("a refused call is not told as done, and one that was chosen is open", () => {
  const error = { kind: "refused", message: "The user refused this call.", path: null, retryable: false };
  const command = { command: "rm -r notes" };
  const call = toolCall({ tool: "run_command", arguments: command, status: "failed", error, result: null });
  const { container } = render(<ToolCard call={call} sessionId="s_1" unfolded />);
  expect(container.textContent).toContain("run_command: rm -r notesThe user refused this call.");
  expect(container.textContent).not.toContain("Ran");
  expect(screen.getByRole("group", { name: "Arguments" }).textContent).toContain("rm -r notes");
});

test("a running call has no result and no raw result event yet", async () => {
  await opened(toolCall({ status: "running", result: null, result_address: null, accounting: null }));
  expect(screen.getAllByRole("link")).toHaveLength(1);
  expect(screen.getAllByText("Running").length).toBeGreaterThan(0);
});
