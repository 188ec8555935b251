import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { BisectionShown } from "../../../lib/wire";
import { gatewayAnswering } from "../../../testing/gateway";
import { Found } from "./Found";

afterEach(() => vi.unstubAllGlobals());

const BISECTION = {
  ...{ id: "b1", agent_id: "a1", status: "running", check: { ask: "convert 100" } },
  ...{ events: 12, most_probes: 4, probes: [], tokens: 0, spoilt_by: null },
} as unknown as BisectionShown;

const shown = (change: Partial<BisectionShown> = {}) =>
  render(
    <Found agentId="a1" found={{ ...BISECTION, ...change }} rewinding={{} as never} onChange={vi.fn()} />,
  );

test("a search that works is stopped once: while it stops, nothing is left to press", async () => {
  const asked = gatewayAnswering(() => Response.json({ ...BISECTION, status: "stopping" }));
  const { unmount } = shown();
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));
  expect(asked).toHaveLength(1);
  unmount();
  shown({ status: "stopping" });
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Stop" }).disabled).toBe(true);
});

test("what has ended shows no progress", () => {
  shown({ status: "stopped" });
  expect(screen.queryByRole("progressbar")).toBeNull();
  expect(screen.queryByRole("button", { name: "Stop" })).toBeNull();
});
