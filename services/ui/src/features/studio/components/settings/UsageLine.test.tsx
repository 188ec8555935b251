import { render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { gatewayAnswering } from "../../../../testing/gateway";
import { UsageLine } from "./Costs";

afterEach(() => vi.unstubAllGlobals());

async function line(used: number, limit: number, database: number | null, keeps = 0): Promise<string> {
  const log = { day: "2026-01-31", used, limit, begins_anew_at: "2026-02-01T00:00:00.000Z" };
  const kept = { used: keeps, limit: keeps && 2_000_000, parts: [{ part: "files", bytes: keeps }] };
  const usage = { agent_id: "a1", log, database: { used: database, limit: 100_000_000 }, kept };
  gatewayAnswering(() => Response.json(usage));
  const shown = render(<UsageLine agentId="a1" />);
  const storage = await screen.findByText(/Storage/);
  const text = `${shown.container.textContent} [${storage.title}]`;
  shown.unmount();
  return text;
}

test("the line shows the storage, its title the rest, and a quota that is used up is said", async () => {
  expect(await line(3_400_000, 2 ** 30, 4096)).toBe(
    "Storage: 0 B [files: 0 B, log today: 3.4 MB of 1.1 GB, database: 4 kB of 100.0 MB]",
  );
  expect(await line(2 ** 30, 2 ** 30, null)).toContain(
    "Storage: 0 B · Today's log is full (1.1 GB). The agent takes new work tomorrow (UTC).",
  );
  expect(await line(500, 0, null)).toBe("Storage: 0 B [files: 0 B, log today: 500 B]");
  expect(await line(500, 0, null, 1_000_000)).toContain("Storage: 1.0 MB of 2.0 MB [files: 1.0 MB,");
  expect(await line(500, 0, null, 1_900_000)).toContain("Almost full: delete files or rows");
});
