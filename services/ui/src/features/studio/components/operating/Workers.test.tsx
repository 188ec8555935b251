import { render, screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { WorkOverview } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { Workers } from "./Workers";

afterEach(() => vi.unstubAllGlobals());

function setUp(services: WorkOverview["services"]) {
  const working: WorkOverview = { services, workers: [], queues: [], offers: [], projected: null };
  gatewayAnswering(() => Response.json(working));
  return render(<Workers titleOf={() => null} />);
}

test("a service that doesn't answer is named, whichever it is, with what to do", async () => {
  const { container } = setUp({ engine: 2, projector: 0, scheduler: 0 });
  const services = await screen.findByRole("region", { name: "Services" });
  expect(within(services).getByRole("status").textContent).toContain("projector, scheduler don't answer.");
  expect(within(services).getByText("foldline processes projector")).toBeTruthy();
  expect(services.textContent).not.toContain("engine");
  expect(await violations(container)).toEqual([]);
});

test("where all answer, nothing else is said", async () => {
  setUp({ engine: 1, projector: 1 });
  const services = await screen.findByRole("region", { name: "Services" });
  expect(services.textContent).toBe("ServicesAll 2 services answer.");
});
