import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { CommandRecord } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { timeOf } from "../../../../testing/given";
import type { DoneList } from "../../fold/lists";
import { DoneRecords } from "../operating/Records";
import COMMANDS from "./commands";

afterEach(() => vi.unstubAllGlobals());

const ran = (change: Partial<CommandRecord> = {}): CommandRecord => ({
  ...{
    recorded_at: timeOf(3),
    agent_id: "a1",
    session_id: "s_1",
    title: "Sums",
    call_id: "c1",
    tool: "run_command",
  },
  ...{ sequence: 7, command_id: "cmd_1", language: "shell" as const, command: "sort a.csv > b.csv" },
  ...{ ending: "exited" as const, exit_code: 0, duration_ms: 420, programs: ["bash", "sort"] },
  files: [
    { path: "b.csv", touch: "created", size: 2_300 },
    { path: "a.csv", touch: "opened", size: 0 },
  ],
  ...{ more_files: 4, saw_all: false, ...change },
});

function setUp(
  pages: Record<string, readonly CommandRecord[]> = {
    first: [ran()],
    second: [ran({ command: "ls", files: [], more_files: 0, saw_all: true })],
  },
) {
  const asked = gatewayAnswering(({ path }) => {
    const second = path.includes("cursor=second");
    const next_cursor = second || !pages.second ? null : "second";
    return Response.json({ items: (second ? pages.second : pages.first) ?? [], next_cursor });
  });
  return { asked, ...render(<DoneRecords list={COMMANDS as DoneList} agentId="a1" titleOf={() => null} />) };
}

test("a command says how it ran, which files it touched, and what could not be seen", async () => {
  const { asked, container } = setUp();
  expect(await screen.findByText("sort a.csv > b.csv")).toBeTruthy();
  expect(container.textContent).toContain("Ended · exit code 0");
  expect(container.textContent).toContain("420 ms");
  expect(container.textContent).toContain("ran bash, sort");
  expect(container.textContent).toContain("6 files of the workspace");
  expect(container.textContent).toContain("Made b.csv, 2 kB");
  expect(container.textContent).toContain("Opened a.csv");
  expect(container.textContent).toContain("and 4 more");
  expect(container.textContent).toContain("opened more files than Foldline could record");
  expect(screen.getByRole("link", { name: "Sums" }).getAttribute("href")).toContain("s_1");
  expect(asked[0]?.path).toContain("agent_id=a1");
  expect(await violations(container)).toEqual([]);
});

test("pages are turned, and a filter begins at the newest", async () => {
  const { asked, container } = setUp();
  await userEvent.click(await screen.findByRole("button", { name: "Older" }));
  expect(await screen.findByText("ls")).toBeTruthy();
  expect(container.textContent).not.toContain("of the workspace\n");
  await userEvent.type(screen.getByLabelText("A part of the command"), " sort ");
  await userEvent.type(screen.getByLabelText("A part of a file's path"), "b.csv{Enter}");
  await userEvent.selectOptions(screen.getByLabelText("How it ended"), "timed_out");
  await vi.waitFor(() => {
    const last = asked.at(-1)?.path ?? "";
    expect(last).toContain("command=sort&file=b.csv&ending=timed_out");
    expect(last).not.toContain("cursor");
  });
});

test("where nothing ran it says so; what doesn't fit a filter is told apart", async () => {
  setUp({ first: [] });
  expect(await screen.findByText("This agent has run no command.")).toBeTruthy();
  await userEvent.selectOptions(screen.getByLabelText("How it ended"), "memory");
  expect(await screen.findByText("Nothing fits.")).toBeTruthy();
});
