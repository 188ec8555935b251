import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { approvalOf } from "../lib/approvals";
import { violations } from "../testing/axe";
import { toolCall } from "../testing/given";
import { ApprovalCard } from "./ApprovalCard";

const ARGS = { url: "https://api.example.com/x", method: "POST" };
const APPROVAL = {
  rule: "It sends something out",
  covers: { tool: "fetch_url", host: "api.example.com", method: "POST" },
  commands: false,
  outside: [{ kind: "web", name: "news.example", address: "9.0" }],
  before: null,
  ran: false,
  requested: null,
  asks: null,
  held: false,
};

function shown(changes: Partial<Parameters<typeof ApprovalCard>[0]> = {}) {
  const onAnswer = vi.fn();
  const given = { tool: "fetch_url", args: ARGS, approval: APPROVAL, open: true, problem: null, onAnswer };
  return { onAnswer, ...render(<ApprovalCard {...given} {...changes} />) };
}
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

test("it shows exactly what runs, by which rule it is asked, and what was read from outside", async () => {
  const { container, onAnswer } = shown();
  expect(container.textContent).toContain('"url": "https://api.example.com/x"');
  expect(container.textContent).toContain("It sends something out.");
  expect(container.textContent).toContain("news.example");
  expect(container.textContent).toContain("Always cover exactly this: fetch_url: POST to api.example.com");
  expect(await violations(container)).toEqual([]);
  for (const [name, decision] of [
    ["Allow once", "once"],
    ["For this chat", "session"],
    ["Always", "always"],
  ] as const) {
    await press(name);
    expect(onAnswer).toHaveBeenLastCalledWith({ decision });
  }
});

test("a command can be allowed alone, or with all commands of the chat in the same sandbox", async () => {
  const covers = { tool: "run_command", command: "ls" };
  const { container, onAnswer } = shown({ approval: { ...APPROVAL, covers, commands: true } });
  expect(container.textContent).toContain("Commands in this chat allows any command in the same sandbox");
  for (const [name, decision] of [
    ["This command in this chat", "session"],
    ["Commands in this chat", "commands"],
  ] as const) {
    await press(name);
    expect(onAnswer).toHaveBeenLastCalledWith({ decision });
  }
});

test("a command is shown as one types it, but not where something of it can't be seen", () => {
  const command = 'grep -c "tea" notes.md\nls';
  const { container, unmount } = shown({ args: { command, timeout_s: 5 } });
  const told = () => [...container.querySelectorAll("pre")].map((one) => one.textContent);
  expect(told()).toEqual([command, '{\n  "timeout_s": 5\n}']);
  unmount();
  const again = shown({ args: { command: "ls\u001b[8m; rm -r ." } });
  expect(again.container.querySelector("pre")?.textContent).toContain("\\u001b[8m; rm");
});

test("what of the arguments can't be seen is written out, and is the same once it is edited", async () => {
  const args = { url: "https://api.exam\u200bple.com/\u202emoc.live", note: "a\u{e0041}\u3164b" };
  const { container, onAnswer } = shown({ args });
  const told = container.querySelector("pre")?.textContent ?? "";
  expect(told).toContain("exam\\u200bple.com/\\u202emoc.live");
  expect(told).toContain("a\\udb40\\udc41\\u3164b");
  expect(JSON.parse(told)).toEqual(args);
  await press("Edit");
  await userEvent.type(screen.getByLabelText("Arguments"), " ");
  await press("Allow once");
  expect(onAnswer).toHaveBeenCalledWith({ decision: "once", arguments: args });
});

test("a refusal takes a reason, which the model reads", async () => {
  const { onAnswer, container } = shown();
  await press("Refuse");
  await userEvent.type(screen.getByLabelText("Why you refuse"), "Not there{Enter}");
  expect(onAnswer).toHaveBeenCalledWith({ decision: "refuse", reason: "Not there" });
  expect(await violations(container)).toEqual([]);
});

test("edited arguments go with the yes; what is no object can't be allowed", async () => {
  const { onAnswer, container } = shown();
  await press("Edit");
  const field = screen.getByLabelText("Arguments");
  await userEvent.clear(field);
  await userEvent.type(field, "[[1]");
  expect((screen.getByRole("button", { name: "Allow once" }) as HTMLButtonElement).disabled).toBe(true);
  await userEvent.clear(field);
  await userEvent.type(field, '{{"url": "https://b.example/"}');
  await press("Allow once");
  expect(onAnswer).toHaveBeenCalledWith({ decision: "once", arguments: { url: "https://b.example/" } });
  expect(await violations(container)).toEqual([]);
});

test("of a run that was stopped nothing can be edited; what has no cover is for once", () => {
  shown({ approval: { ...APPROVAL, ran: true, covers: null } });
  expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Always" })).toBeNull();
});

test("a run that is held says that it continues with the answer", () => {
  shown({ approval: { ...APPROVAL, ran: true, held: true } });
  expect(screen.getByText(/waits for your approval. It continues when you answer/)).toBeTruthy();
  expect(screen.queryByText(/was stopped/)).toBeNull();
});

test("closed, it takes no answer", () => {
  shown({ open: false });
  expect(screen.queryAllByRole("button", { name: /Allow|Always|Refuse/ })).toEqual([]);
});

test("what a run was stopped by is shown whole, cut where it is long, with what can't be seen written out", async () => {
  const query = `q=${"x".repeat(498)}`;
  const show = {
    kind: "approval",
    host: "a.test",
    method: "GET",
    path: "/v1/\u202ex",
    query,
    query_length: 4_321,
  };
  const approval = { ...approvalOf(toolCall({ show, request_address: "4.0" })), covers: null };
  const { container } = shown({ approval });
  const told = screen.getByRole("group", { name: "The request that it wants to send" }).textContent ?? "";
  expect(told).toBe(`GET a.test/v1/\\u202ex\n?${query}…`);
  expect(container.textContent).toContain("The query has 4,321 characters; the first 500 are shown.");
  expect(await violations(container)).toEqual([]);
});

test("what a foreign server is asked for is shown by its URI", () => {
  const show = { kind: "approval", host: null, method: null, server: "notes", uri: "note://a\u200b/1" };
  shown({ approval: approvalOf(toolCall({ show, request_address: "4.0" })) });
  const told = screen.getByRole("group", { name: "The request that it wants to send" }).textContent;
  expect(told).toBe("notes note://a\\u200b/1");
});

test("what its code asks another tool for is shown exactly, and in the place of where to", () => {
  const asks = {
    tool: "shop__order",
    arguments: { item: "te\u200ba", notes: "x".repeat(5_000) },
    exact: "0f",
  };
  const show = { kind: "approval", rule: "It acts on the outside world", server: "shop", uri: "shop", asks };
  const call = toolCall({ tool: "run_sandbox_code", request_address: "7.0", show });
  const { container } = shown({ tool: call.tool, args: call.arguments, approval: approvalOf(call) });
  const told = screen.getByRole("group", { name: "The call that its code wants to make" }).textContent ?? "";
  expect(JSON.parse(told)).toEqual(asks.arguments);
  expect(told).toContain("te\\u200ba");
  expect(container.textContent).toContain("wants to call shop__order. Allow once covers exactly this call");
  expect(container.textContent).not.toContain("It wants to send this");
});
