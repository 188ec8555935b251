import { render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { gatewayAnswering } from "../../../../testing/gateway";
import { UsageLine } from "./UsageLine";

afterEach(() => vi.unstubAllGlobals());

async function line(used: number, limit: number, database: number | null, keeps = 0): Promise<string> {
  const log = { day: "2026-01-31", used, limit, begins_anew_at: "2026-02-01T00:00:00.000Z" };
  const kept = { used: keeps, limit: keeps && 2_000_000, parts: [{ part: "files", bytes: keeps }] };
  const usage = { agent_id: "a1", log, database: { used: database, limit: 100_000_000 }, kept };
  gatewayAnswering(() => Response.json(usage));
  const shown = render(<UsageLine agentId="a1" />);
  const text = (await screen.findByText(/Log today/)).textContent ?? "";
  shown.unmount();
  return text;
}

test("what an agent used of its quotas is said, and that it used up one", async () => {
  expect(await line(3_400_000, 2 ** 30, 4096)).toBe(
    "Log today: 3.4 MB of 1.1 GB · Database: 4 kB of 100.0 MB · Keeps: 0 B",
  );
  expect(await line(2 ** 30, 2 ** 30, null)).toBe(
    "Log today: 1.1 GB of 1.1 GB. The agent takes new work again tomorrow (UTC). · Keeps: 0 B",
  );
  expect(await line(500, 0, null)).toBe("Log today: 500 B · Keeps: 0 B");
  expect(await line(500, 0, null, 1_000_000)).toBe("Log today: 500 B · Keeps: 1.0 MB of 2.0 MB");
  expect(await line(500, 0, null, 1_900_000)).toContain("What is too much is refused");
});
