import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { ChatPartners } from "./ChatPartners";

const ADA = {
  id: "a".repeat(32),
  channel: "telegram",
  chat: "3",
  sender: "3",
  name: "Ada",
  code: "ABCD2345",
  agent_id: null as string | null,
  session_id: null,
  asked_at: "2026-07-30T10:00:00.000Z",
  allowed_at: null as string | null,
};

function gateway(channels: object[]) {
  let partners = [ADA, { ...ADA, id: "b".repeat(32), name: "Bob", code: null, agent_id: "other" }];
  const sent: string[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (given) => {
    const request = given as Request;
    const { pathname } = new URL(request.url);
    if (request.method !== "GET") sent.push(`${request.method} ${pathname} ${await request.text()}`);
    if (request.method === "POST") {
      partners = [{ ...ADA, code: null as never, agent_id: "main" }];
      return Response.json(partners[0]);
    }
    if (request.method === "DELETE") {
      partners = [];
      return Response.json({ id: ADA.id });
    }
    return Response.json({
      items: pathname.endsWith("channels") ? channels : partners,
      next_cursor: null,
    });
  });
  return sent;
}

const WORKS = { name: "telegram", problem: null, heard: true, changed_at: "2026-07-30T10:00:00.000Z" };

test("somebody who was told a code is allowed to write to this agent, and removed again", async () => {
  const sent = gateway([WORKS]);
  const { container } = render(<ChatPartners agentId="main" />);
  await userEvent.click(await screen.findByRole("button", { name: /Allow/ }, { timeout: 10_000 }));
  await userEvent.click(await screen.findByRole("button", { name: /Remove/ }));
  expect(await screen.findByText("Nobody writes from another program yet.")).toBeTruthy();
  expect(sent[0]).toBe(`POST /api/v1/chat-partners/${ADA.id}:allow {"code":"ABCD2345","agent_id":"main"}`);
  expect(sent[1]).toContain(`DELETE /api/v1/chat-partners/${ADA.id}`);
  expect(await violations(container)).toEqual([]);
});

test("who writes to another agent isn't shown here, and a channel that doesn't work says why", async () => {
  gateway([{ ...WORKS, problem: "no net" }]);
  render(<ChatPartners agentId="main" />);
  expect(await screen.findByText(/doesn't work now: no net/, {}, { timeout: 10_000 })).toBeTruthy();
  expect(screen.getByText(/with the code ABCD2345/)).toBeTruthy();
  expect(screen.queryByText("Bob")).toBeNull();
});

test("a channel that wasn't heard from since the start says so", async () => {
  gateway([{ ...WORKS, heard: false }]);
  render(<ChatPartners agentId="main" />);
  expect(
    await screen.findByText("telegram: not heard from since the start", {}, { timeout: 10_000 }),
  ).toBeTruthy();
});

test("without a channel there is nothing to see", async () => {
  gateway([]);
  const { container } = render(<ChatPartners agentId="main" />);
  await vi.waitFor(() => expect(container.textContent).toBe(""));
});
