import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { violations } from "../../../testing/axe";
import { gatewayAnswering } from "../../../testing/gateway";
import { BisectForm } from "./BisectForm";

afterEach(() => vi.unstubAllGlobals());

const COST = {
  ...{ events: 9, probes: 4, least_runs: 8, most_runs: 12 },
  ...{ tokens: null, cost_micros: null, most_tokens: 1_200_000 },
};

test("each field says what is wrong with it, and the first one has the keyboard; nothing is asked", async () => {
  const asked = gatewayAnswering(() => Response.json(COST));
  const { container } = render(<BisectForm agentId="a1" again={false} onBegun={vi.fn()} />);
  expect(screen.getByLabelText("Message to send").getAttribute("aria-invalid")).toBe("false");
  await userEvent.click(screen.getByRole("button", { name: "What would it cost?" }));
  const message = screen.getByRole("textbox", {
    name: "Message to send",
    description: "Write the message to ask it.",
  });
  await waitFor(() => expect(document.activeElement).toBe(message));
  expect(
    screen.getByRole("textbox", { name: "The answer contains", description: /Say what the answer contains/ }),
  ).toBeTruthy();
  expect(await violations(container)).toEqual([]);
  expect(asked).toEqual([]);
});

test("an event that is none is told where it stands, though that was closed", async () => {
  const asked = gatewayAnswering(() => Response.json(COST));
  const { container } = render(<BisectForm agentId="a1" again={false} onBegun={vi.fn()} />);
  await userEvent.type(screen.getByLabelText("Message to send"), "convert 100");
  await userEvent.type(screen.getByLabelText("The answer contains"), "212");
  await userEvent.click(screen.getByText("Where to search"));
  await userEvent.type(screen.getByLabelText(/Worked after event/), "9");
  const bad = screen.getByLabelText(/Fails after event/);
  await userEvent.type(bad, "9");
  container.querySelector("details")?.removeAttribute("open");
  await userEvent.click(screen.getByRole("button", { name: "What would it cost?" }));
  expect(screen.getByText("It must come after event 9, when it worked.")).toBeTruthy();
  expect(container.querySelector("details")?.open).toBe(true);
  await userEvent.clear(bad);
  await userEvent.type(bad, "soon");
  expect(screen.getByText(/An event's number, such as 120/)).toBeTruthy();
  await userEvent.clear(bad);
  await userEvent.type(bad, "12");
  await userEvent.click(screen.getByRole("button", { name: "What would it cost?" }));
  expect(await screen.findByText(/at most 4 probes/)).toBeTruthy();
  expect(asked.at(-1)?.body).toMatchObject({ ask: "convert 100", expect: "212", good: 9, bad: 12 });
});
