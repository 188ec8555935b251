import { render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { gatewayAnswering } from "../../../../testing/gateway";
import { CostTable } from "./Costs";

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
