import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import type { AgentChange, RollbackPreview } from "../../../lib/wire";
import { violations } from "../../../testing/axe";
import { EVERYTHING, requestFor } from "../fold/plan";
import { Preview } from "./Preview";

const version = (value: unknown) => ({ value, version: 1, sequence: 5, time: "2025-01-06T12:00:05Z" });
const change = (name: string, touched_by_others: boolean): AgentChange => ({
  kind: "state",
  name,
  before: version("blue"),
  now: version("red"),
  touched_by_others,
});
const SHOWN: RollbackPreview = {
  to: "9",
  at: 8,
  hidden: [{ sequence: 10, role: "user", text: "Paint it red" }],
  shown_again: [],
  agent: [change("mine", false), change("shared", true)],
  database: {
    writes: 2,
    by_others: 0,
    latest: [{ sequence: 11, session_id: "s_1", sql: "DELETE FROM tea" }],
  },
  log_sequence: 20,
};

/** Draws it, and tells after each choice what would be asked for. */
function show(preview: RollbackPreview) {
  const asked = vi.fn();
  function Holder() {
    const [plan, setPlan] = useState(EVERYTHING);
    asked(requestFor(plan, preview));
    return <Preview preview={preview} plan={plan} onPlan={setPlan} />;
  }
  return { asked, ...render(<Holder />) };
}

test("what others changed since is marked, unticked, and goes back once it is chosen", async () => {
  const { asked, container } = show(SHOWN);
  const shared = screen.getByText("State: shared").closest("li") as HTMLElement;
  expect(within(shared).getByText("stays as it is")).toBeTruthy();
  const tick = within(shared).getByRole("checkbox", { name: /Somebody else has changed it since/ });
  expect((tick as HTMLInputElement).checked).toBe(false);
  await userEvent.click(tick);
  expect(asked.mock.lastCall?.[0]).toMatchObject({ include: [{ kind: "state", name: "shared" }] });
  expect(within(shared).getByText("changed back")).toBeTruthy();
  expect(await violations(container)).toEqual([]);
});

test("parts can be left out, and where it really leads is said", async () => {
  const { asked } = show(SHOWN);
  expect(screen.getByText(/nearest moment before them: event 8/)).toBeTruthy();
  await userEvent.click(screen.getByRole("checkbox", { name: "The conversation" }));
  await userEvent.click(screen.getByRole("checkbox", { name: "The agent's database" }));
  expect(asked.mock.lastCall?.[0]).toMatchObject({ to: "9", parts: ["agent"] });
});

test("each change shows what it was and what it would be", async () => {
  show(SHOWN);
  await userEvent.click(screen.getByText("State: mine"));
  expect(screen.getByRole("group", { name: "Change of State: mine" }).textContent).toBe("- red\n+ blue\n");
});
