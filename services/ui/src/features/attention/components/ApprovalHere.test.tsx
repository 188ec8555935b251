import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { ToolCall } from "../../../lib/wire";
import { ANSWERED } from "../../../lib/words";
import { violations } from "../../../testing/axe";
import { gatewayAnswering } from "../../../testing/gateway";
import { timeOf, toolCall } from "../../../testing/given";
import { ApprovalHere } from "./ApprovalHere";

afterEach(() => vi.unstubAllGlobals());

const THING = {
  kind: "approval" as const,
  key: "call:s_1:c_1",
  agent_id: "main",
  session_id: "s_1",
  title: "Teapots",
  call_id: "c_1",
  tool: "fetch_url",
  text: "POST https://shop.example/",
  started_at: timeOf(3),
};
const WAITS = {
  status: "pending" as const,
  tool: "fetch_url",
  arguments: { url: "https://shop.example/", method: "POST" },
  request_address: null,
  show: { kind: "approval", rule: "It sends something out" },
};

function setUp(call: Partial<ToolCall>, answer = Response.json({ sequence: 9 })) {
  const asked = gatewayAnswering(({ method }) => (method === "GET" ? Response.json(toolCall(call)) : answer));
  const onChange = vi.fn();
  return { asked, onChange, ...render(<ApprovalHere thing={THING} onChange={onChange} />) };
}

const press = (name: RegExp | string) => userEvent.click(screen.getByRole("button", { name }));

test("nothing is read until somebody wants to judge it; then it is answered from here", async () => {
  const { asked, container, onChange } = setUp(WAITS);
  expect(asked).toEqual([]);
  await press("Review: Teapots");
  expect(await screen.findByText("It sends something out.")).toBeTruthy();
  expect(container.textContent).toContain('"url": "https://shop.example/"');
  expect(await violations(container)).toEqual([]);
  await press("Allow once");
  expect(asked[1]).toMatchObject({
    method: "POST",
    path: "/sessions/s_1/tool-responses",
    body: { call_id: "c_1", response: { decision: "once" } },
  });
  expect(asked[1]?.key).toBeTruthy();
  expect(onChange).toHaveBeenCalledTimes(1);
  expect(screen.queryByRole("button", { name: "Allow once" })).toBeNull();
});

test("what somebody answered meanwhile takes no answer", async () => {
  const { onChange } = setUp({ ...WAITS, status: "completed" });
  await press(/Review/);
  expect(await screen.findByText(ANSWERED)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Allow once" })).toBeNull();
  expect(onChange).not.toHaveBeenCalled();
});

test("an answer that comes too late says so, and the inbox is read anew", async () => {
  const problem = {
    type: "about:blank",
    title: "Conflict",
    status: 409,
    kind: "conflict",
    detail: "Too late",
  };
  const { onChange } = setUp(WAITS, Response.json(problem, { status: 409 }));
  await press(/Review/);
  await screen.findByText("It sends something out.");
  await press("Allow once");
  expect(await screen.findByText(ANSWERED)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Allow once" })).toBeNull();
  expect(onChange).toHaveBeenCalledTimes(1);
});

test("an answer that fits not says why, and it can be answered again", async () => {
  const problem = {
    type: "about:blank",
    title: "No",
    status: 422,
    kind: "invalid_request",
    detail: "Not so",
  };
  setUp(WAITS, Response.json(problem, { status: 422 }));
  await press(/Review/);
  await screen.findByText("It sends something out.");
  await press("Allow once");
  expect((await screen.findByRole("alert")).textContent).toContain("Not so");
  expect(screen.getByRole("button", { name: "Allow once" })).toBeTruthy();
});
