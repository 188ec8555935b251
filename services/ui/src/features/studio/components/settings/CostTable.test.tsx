import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { gatewayAnswering } from "../../../../testing/gateway";
import { CostTable, SpaceTable } from "./Costs";

afterEach(() => vi.unstubAllGlobals());

const usage = (input: number, cached_input: number, output: number, cost_micros: number | null) => ({
  input,
  cached_input,
  output,
  cost_micros,
});
const cost = (day: string, model: string | null, of: ReturnType<typeof usage>, unpriced_tokens = 0) => ({
  day,
  agent_id: "a1",
  model,
  calls: 2,
  usage: of,
  unpriced_tokens,
});

test("what an agent's model calls cost is shown by day and model", async () => {
  const costs = [
    cost("2026-01-31", "anthropic/claude-x", usage(120_000, 100_000, 900, 1_240_000)),
    cost("2026-01-31", "openai/mine", usage(500, 0, 20, null), 520),
    cost("2026-01-30", null, usage(50, 0, 5, 3100)),
  ];
  gatewayAnswering(() => Response.json({ timezone: "UTC", items: costs }));
  render(<CostTable agentId="a1" />);
  const summary = await screen.findByText(/30 days:/);
  expect(summary.textContent).toBe("Models, 30 days: at least $1.24");
  const rows = screen
    .getAllByRole("row", { hidden: true })
    .map((row) => [...row.querySelectorAll("th, td")].map((cell) => cell.textContent));
  expect(rows.slice(1)).toEqual([
    ["2026-01-31", "anthropic/claude-x", "2", "120,000", "100,000", "900", "$1.24"],
    ["2026-01-31", "openai/mine", "2", "500", "0", "20", "no price known"],
    ["2026-01-30", "asked by tools", "2", "50", "0", "5", "$0.0031"],
  ]);
});

test("what takes space is read when somebody opens it, and says what removes it", async () => {
  const part = (name: string, bytes: number, goes: string | null) => ({
    ...{ part: name, sessions: name === "agent" ? 0 : 1200, events: 9000, bytes, goes },
  });
  const asked = gatewayAnswering(() => {
    const items = [part("runs", 3_000_000, "old ones go by themselves"), part("agent", 2000, null)];
    return Response.json({ items, next_cursor: null });
  });
  render(<SpaceTable agentId="a1" />);
  expect(asked).toEqual([]);
  await userEvent.click(screen.getByText("What takes space"));
  await screen.findByText("Runs of scheduled tasks");
  const rows = screen
    .getAllByRole("row")
    .map((row) => [...row.querySelectorAll("th, td")].map((cell) => cell.textContent));
  expect(rows.slice(1)).toEqual([
    ["Runs of scheduled tasks", "3.0 MB", "1,200", "old ones go by themselves"],
    ["The agent, with every version of what it has", "2 kB", "", "nothing"],
  ]);
});
