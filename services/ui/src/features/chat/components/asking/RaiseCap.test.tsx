import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { RaiseCap } from "./RaiseCap";

afterEach(() => vi.unstubAllGlobals());

const CAP = {
  ...{ name: "daily_cost_limit", variable: "FOLDLINE_DAILY_COST_LIMIT", value: 0.1, locked: false },
  ...{ source: "installation", own: null },
};

function answering(...settings: object[]) {
  return gatewayAnswering(() => Response.json({ agent_id: "a1", items: settings, operator: [] }));
}

test("a cap is raised where it was set, and the turn goes on", async () => {
  const asked = answering(CAP);
  const onRaised = vi.fn();
  const { container } = render(<RaiseCap agentId="a1" setting="daily_cost_limit" onRaised={onRaised} />);
  const field = await screen.findByLabelText<HTMLInputElement>("New cap (US dollars)");
  expect(field.value).toBe("0.2");
  expect(await violations(container)).toEqual([]);
  await userEvent.clear(field);
  await userEvent.type(field, "none");
  expect(screen.getByRole<HTMLButtonElement>("button").disabled).toBe(true);
  await userEvent.clear(field);
  await userEvent.type(field, "5");
  await userEvent.click(screen.getByRole("button", { name: "Raise and continue" }));
  await waitFor(() => expect(onRaised).toHaveBeenCalledOnce());
  expect(asked.at(-1)).toMatchObject({
    ...{ method: "PATCH", path: "/settings" },
    body: { values: { daily_cost_limit: 5 } },
  });
});

test("an agent's own cap is raised for the agent", async () => {
  const own = { value: 1000, version: 1, sequence: 1, written_at: null, actor: null };
  const asked = answering({ ...CAP, name: "agent_token_limit", value: 1000, source: "agent", own });
  render(<RaiseCap agentId="a1" setting="agent_token_limit" onRaised={vi.fn()} />);
  await userEvent.click(await screen.findByRole("button", { name: "Raise and continue" }));
  await waitFor(() => expect(asked.at(-1)?.method).toBe("PATCH"));
  expect(asked.at(-1)).toMatchObject({
    path: "/agents/a1/settings",
    body: { values: { agent_token_limit: 2000 } },
  });
});

test("what the environment says can't be raised here", async () => {
  answering({ ...CAP, locked: true, source: "environment" });
  render(<RaiseCap agentId="a1" setting="daily_cost_limit" onRaised={vi.fn()} />);
  expect(await screen.findByText(/FOLDLINE_DAILY_COST_LIMIT says this cap/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});
