import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { DeadLetter } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { timeOf } from "../../../../testing/given";
import { Letters } from "./Letters";

afterEach(() => vi.unstubAllGlobals());

const letter = (number: number): DeadLetter => ({
  ...{ number, created_at: timeOf(number), stream: "LOG", consumer: "engine", address: "7", sequence: 7 },
  ...{ subject: "ses.a.1.s_1.in.user_message", session_id: "s_1", call_id: null, attempts: 5 },
  reason: "bad: <img src=x onerror=alert(1)>",
});

function setUp(number: string | null, refusal?: Response) {
  const asked = gatewayAnswering(({ path, method }) => {
    if (method !== "GET")
      return refusal ?? Response.json({ number: 20_000, done: "the message was handled" });
    if (path.startsWith("/dead-letters?")) {
      const older = path.includes("cursor=19901");
      const letters = [letter(older ? 19_900 : 20_000)];
      return Response.json({ items: letters, total: 10_000, next_cursor: older ? null : "19901" });
    }
    const body = { text: "x".repeat(50_000) };
    return Response.json({ letter: letter(20_000), type: "t", body, problem: null, ended: null });
  });
  const shown = render(<Letters agentId="a1" number={number} titleOf={() => "My chat"} />);
  return { asked, ...shown };
}

test("of ten thousand letters a page is read at a time, and what they say is text", async () => {
  const { container, asked } = setUp(null);
  expect(await screen.findByText("10,000 letters in all.")).toBeTruthy();
  expect(container.querySelector("img")).toBeNull();
  expect(screen.getByText(/<img src=x/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Older" }));
  expect(await screen.findByRole("link", { name: /19900/ })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Older" })).toHaveProperty("disabled", true);
  await userEvent.click(screen.getByRole("button", { name: "Newer" }));
  expect(await screen.findByRole("link", { name: /20000/ })).toBeTruthy();
  expect(asked.map(({ path }) => path)[1]).toContain("cursor=19901");
  expect(await violations(container)).toEqual([]);
});

test("a long message is cut until all of it is asked for", async () => {
  setUp("20000");
  const one = await screen.findByRole("article", { name: "Dead letter 20000" });
  const message = await within(one).findByRole("group", { name: "Message" });
  expect(message.textContent).toHaveLength(10_000);
  await userEvent.click(within(one).getByRole("button", { name: "Show all" }));
  expect(message.textContent?.length).toBeGreaterThan(50_000);
});

test("a letter that can't be retried stays, and says why", async () => {
  const problem = {
    kind: "conflict",
    detail: "Its call has ended, and calls are not run twice",
    status: 409,
  };
  const headers = { "content-type": "application/problem+json" };
  const { asked } = setUp("20000", Response.json(problem, { status: 409, headers }));
  await userEvent.click(await screen.findByRole("button", { name: "Retry" }));
  expect((await screen.findByRole("alert")).textContent).toContain("calls are not run twice");
  expect(asked.filter(({ method }) => method === "POST").map(({ path }) => path)).toEqual([
    "/dead-letters/20000:retry",
  ]);
});
