import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { SiteLogins } from "./Secrets";

const LOGIN = { site: "tea.test", kept_at: "2026-07-30T10:00:00.000Z", session_id: "s_1", cookies: 2 };

test("kept logins are listed by site, and can be forgotten", async () => {
  let logins = [LOGIN];
  const asked: string[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (request) => {
    const { method, url } = request as Request;
    asked.push(`${method} ${new URL(url).pathname}`);
    if (method !== "DELETE") return Response.json({ items: logins, next_cursor: null });
    logins = [];
    return Response.json({ forgotten: true });
  });
  const { container } = render(<SiteLogins agentId="main" />);
  await userEvent.click(await screen.findByRole("button", { name: /Forget/ }, { timeout: 10_000 }));
  expect(await screen.findByText("No logins are kept.")).toBeTruthy();
  expect(asked.find((one) => one.startsWith("DELETE"))).toContain("/agents/main/site-logins/tea.test");
  expect(await violations(container)).toEqual([]);
});
