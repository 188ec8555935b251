import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import type { AgentChange, RewindPreview } from "../../../lib/wire";
import { violations } from "../../../testing/axe";
import { EVERYTHING, requestFor } from "../fold/plan";
import { Preview } from "./Preview";

const version = (value: unknown) => ({ value, version: 1, sequence: 5, written_at: "2025-01-06T12:00:05Z" });
const change = (name: string, touched_by_others: boolean): AgentChange => ({
  kind: "state",
  name,
  before: version("blue"),
  now: version("red"),
  touched_by_others,
  time_passed: false,
});
const SHOWN: RewindPreview = {
  to: "9",
  target_sequence: 8,
  hidden: [{ sequence: 10, role: "user", text: "Paint it red" }],
  shown_again: [],
  agent: [change("mine", false), change("shared", true)],
  files: [],
  database: {
    writes: 2,
    by_others: 0,
    latest: [{ sequence: 11, session_id: "s_1", sql: "DELETE FROM tea" }],
    inexact: null,
  },
  log_sequence: 20,
};

/** Draws it, and tells after each choice what would be asked for. */
function show(preview: RewindPreview) {
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
  const shared = screen.getByText("Stored value shared").closest("li") as HTMLElement;
  expect(within(shared).getByText("stays as it is")).toBeTruthy();
  const tick = within(shared).getByRole("checkbox", { name: /Somebody else has changed it since/ });
  expect((tick as HTMLInputElement).checked).toBe(false);
  await userEvent.click(tick);
  expect(asked.mock.lastCall?.[0]).toMatchObject({ including: [{ kind: "state", names: ["shared"] }] });
  expect(within(shared).getByText("changed back")).toBeTruthy();
  expect(await violations(container)).toEqual([]);
});

test("a database that can't be made again says so, and from which event on it can", () => {
  const inexact = "It can be made again as of event 10 and later.";
  show({ ...SHOWN, database: { ...(SHOWN.database as NonNullable<typeof SHOWN.database>), inexact } });
  expect(screen.getByText(inexact)).toBeTruthy();
});

test("parts can be left out, and where it really leads is said", async () => {
  const { asked } = show(SHOWN);
  expect(screen.getByText(/just before they started \(event 8\)/)).toBeTruthy();
  await userEvent.click(screen.getByRole("checkbox", { name: "The conversation" }));
  await userEvent.click(screen.getByRole("checkbox", { name: "The agent's database" }));
  expect(asked.mock.lastCall?.[0]).toMatchObject({ to: "9", parts: ["agent"] });
});

test("each change shows what it was and what it would be", async () => {
  show(SHOWN);
  await userEvent.click(screen.getByText("Stored value mine"));
  expect(screen.getByRole("group", { name: "Change of Stored value mine" }).textContent).toBe(
    "- red\n+ blue\n",
  );
});

test("files go back by themselves, what others changed once it is chosen, and never onto another file", async () => {
  const at = (version: number) => ({
    ...{ blob: "b", media_type: "text/csv", path: "tea.csv", scope: "session" as const, size: 1200 },
    ...{ sequence: 5, written_at: "2025-01-06T12:00:05Z", version },
  });
  const one = { before: at(1), now: at(3), touched_by_others: false, path_taken: false };
  const { asked, container } = show({
    ...SHOWN,
    files: [
      { ...one, file_id: "f_mine" },
      { ...one, file_id: "f_made", before: null, now: { ...at(1), path: "new.csv" } },
      { ...one, file_id: "f_shared", now: { ...at(2), path: "renamed.csv" }, touched_by_others: true },
      { ...one, file_id: "f_taken", now: null, path_taken: true },
    ],
  });
  expect(asked.mock.lastCall?.[0]).toMatchObject({ parts: expect.arrayContaining(["files"]), including: [] });
  const row = (path: string) => screen.getByText(path).closest("li")?.textContent ?? "";
  expect(row("new.csv")).toContain("removed");
  expect(screen.getAllByText("tea.csv").map((name) => name.closest("li")?.textContent)).toEqual([
    expect.stringMatching(/changed back.*now version 3, 1 kB; then version 1, 1 kB/),
    expect.stringMatching(/stays as it is.*Another file has its path now/),
  ]);
  const shared = screen.getByText("renamed.csv → tea.csv").closest("li") as HTMLElement;
  await userEvent.click(within(shared).getByRole("checkbox"));
  expect(asked.mock.lastCall?.[0]).toMatchObject({ including: [{ kind: "file", names: ["f_shared"] }] });
  expect(await violations(container)).toEqual([]);
  await userEvent.click(screen.getByRole("checkbox", { name: "Its files" }));
  expect(asked.mock.lastCall?.[0]?.parts).not.toContain("files");
});
