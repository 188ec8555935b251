import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { Reminder, Schedule, ScheduleRun } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { gatewayAnswering } from "../../../../testing/gateway";
import { timeOf } from "../../../../testing/given";
import { Schedules } from "./Schedules";

afterEach(() => vi.unstubAllGlobals());

const WRITTEN = {
  ...{ version: 2, sequence: 5, written_at: timeOf(5), actor: "agent" as const },
  ...{ session_id: "s_1", call_id: "m1-00" },
};
const RUN: ScheduleRun = {
  ...{ due_at: "2030-01-07T08:00:00.000Z", outcome: "failed", session_id: "s_9", by_hand: false },
  ...{ reason: "no model answers", failures: 1, sequence: 9, recorded_at: timeOf(9) },
};
const TASK: Schedule = {
  ...{
    id: "t_1",
    name: "News",
    task: "Read the news",
    at: null,
    cron: "0 9 * * 1",
    cron_words: "At 09:00 on Monday",
    timezone: "Asia/Kolkata",
  },
  ...{ model: null, token_limit: null, misfire: "run_once", overlap: "skip", enabled: true },
  ...{ paused_because: null, next: ["2030-01-14T03:30:00.000Z"], last_run: RUN, ...WRITTEN },
};
const PAUSED: Schedule = {
  ...{ ...TASK, id: "t_2", name: "Backup", enabled: false, next: [], last_run: null },
  paused_because: "5 runs failed in a row",
};
const REMINDER: Reminder = {
  ...{ id: "r_1", reminds: "s_1", due_at: "2030-01-01T00:00:00.000Z", message: "Look again", done: null },
  ...WRITTEN,
};

function setUp(scheduleId: string | null, refusal?: Response, coming?: Response) {
  const asked = gatewayAnswering(({ path, method }) => {
    if (path.endsWith(":preview"))
      return coming ?? Response.json({ next: [], cron_words: "At 09:00 every day", timezone: "UTC" });
    if (method !== "GET") return refusal ?? Response.json(method === "DELETE" ? { deleted: true } : TASK);
    if (path.includes("/runs")) return Response.json({ items: [RUN], next_cursor: null });
    if (path.includes("/versions")) {
      const old = { version: 1, sequence: 4, written_at: timeOf(4), actor: "user", deleted: false };
      const rest = { session_id: null, call_id: null, causation: null, replaced: null };
      return Response.json({
        items: [
          { ...old, ...rest, version: 2, sequence: 5 },
          { ...old, ...rest },
        ],
        next_cursor: null,
      });
    }
    if (path.includes("/reminders")) return Response.json({ items: [REMINDER], next_cursor: null });
    if (path.includes("/settings"))
      return Response.json({
        items: [{ name: "timezone", value: "Asia/Kolkata", own: null }],
        next_cursor: null,
      });
    return Response.json({ items: [PAUSED, TASK], next_cursor: null });
  });
  const shown = render(
    <Schedules
      agentId="main"
      scheduleId={scheduleId}
      revision="1"
      titleOf={(id) => (id === "s_1" ? "Tea" : null)}
    />,
  );
  const writes = () =>
    asked
      .filter(({ method, path }) => method !== "GET" && !path.endsWith(":preview"))
      .map(({ method, path }) => [method, path]);
  return { asked, writes, ...shown };
}

test("tasks tell when they run, in words, how they went, and why one is paused", async () => {
  const { container } = setUp(null);
  const news = (await screen.findByRole("link", { name: "News" })).closest("li") as HTMLElement;
  expect(news.textContent).toContain("At 09:00 on Monday (Asia/Kolkata)");
  expect(news.textContent).toMatch(/Next: Mon,? 14 Jan 2030, 09:00/);
  expect(news.textContent).toContain("Last: failed");
  const backup = screen.getByRole("link", { name: "Backup" }).closest("li") as HTMLElement;
  expect(backup.textContent).toContain("Foldline paused it: 5 runs failed in a row");
  expect(await violations(container)).toEqual([]);
});

test("a task is run now, paused, and goes on", async () => {
  const { writes } = setUp(null);
  await userEvent.click(await screen.findByRole("button", { name: /^Run now\s*News$/ }));
  await vi.waitFor(() => expect(writes()).toEqual([["POST", "/agents/main/schedules/t_1:run"]]));
  await userEvent.click(screen.getByRole("button", { name: /^Pause\s*News$/ }));
  await vi.waitFor(() => expect(writes().at(-1)).toEqual(["POST", "/agents/main/schedules/t_1:pause"]));
  await userEvent.click(screen.getByRole("button", { name: /^Resume\s*Backup$/ }));
  await vi.waitFor(() => expect(writes().at(-1)).toEqual(["POST", "/agents/main/schedules/t_2:resume"]));
});

test("a reminder tells its chat, and is cancelled", async () => {
  const { writes } = setUp(null);
  const link = await screen.findByRole("link", { name: "Tea" });
  expect(link.getAttribute("href")).toBe("#/s/s_1");
  await userEvent.click(screen.getByRole("button", { name: /^Cancel\s*the reminder Look again$/ }));
  await vi.waitFor(() => expect(writes()).toEqual([["DELETE", "/agents/main/reminders/r_1"]]));
});

test("what the server finds wrong with a new task stands at its field", async () => {
  const detail = "the hour of '0 25 * * *' can't be '25'";
  const problem = { kind: "invalid_request", detail, path: "/cron", title: "", status: 422, type: "" };
  const { asked, container } = setUp(null, Response.json(problem, { status: 422 }));
  await userEvent.click(await screen.findByRole("button", { name: /New task/ }));
  const form = within(screen.getByRole("form", { name: "New scheduled task" }));
  await userEvent.type(form.getByLabelText("Name"), "n");
  await userEvent.type(form.getByLabelText("Task"), "t");
  const cron = form.getByLabelText("When (cron)");
  expect(await form.findByText("At 09:00 every day")).toBeTruthy();
  await userEvent.clear(cron);
  await userEvent.type(cron, "0 25 * * *");
  await userEvent.click(form.getByRole("button", { name: "Save" }));
  expect((await form.findByRole("alert")).textContent).toBe(detail);
  expect(cron.getAttribute("aria-invalid")).toBe("true");
  expect(cron.getAttribute("aria-describedby")).toBe(form.getByRole("alert").id);
  const sent = asked.find(({ method, path }) => method === "POST" && !path.endsWith(":preview"));
  expect(sent?.path).toBe("/agents/main/schedules");
  expect(await violations(container)).toEqual([]);
  await userEvent.type(cron, "{Backspace}");
  expect(form.queryByRole("alert")).toBeNull();
  expect(cron.getAttribute("aria-invalid")).toBe("false");
});

test("one task shows its next times, its runs with their chats, and the way back to a version", async () => {
  const { writes, container } = setUp("t_1");
  expect(await screen.findByRole("heading", { name: "News" })).toBeTruthy();
  const runs = within(screen.getByRole("region", { name: "Runs" }));
  expect((await runs.findByRole("link", { name: "Open the chat" })).getAttribute("href")).toBe("#/s/s_9");
  expect(runs.getByText("no model answers")).toBeTruthy();
  expect(within(screen.getByRole("region", { name: "Next times" })).getAllByRole("listitem")).toHaveLength(1);
  await userEvent.click(await screen.findByRole("button", { name: /Revert to 1/ }));
  await vi.waitFor(() => expect(writes()).toEqual([["POST", "/agents/main/schedules/t_1:revert"]]));
  expect(await violations(container)).toEqual([]);
});

test("a task that is gone says so, and keeps its runs", async () => {
  setUp("t_gone");
  expect(await screen.findByText(/task was deleted/)).toBeTruthy();
  expect(await screen.findByRole("link", { name: "Open the chat" })).toBeTruthy();
});

test("the next times of what is typed are shown, by the task's clocks", async () => {
  const next = ["2030-01-14T03:30:00.000Z", "2030-01-15T03:30:00.000Z"];
  const { container } = setUp(null, undefined, Response.json({ next, timezone: "Asia/Kolkata" }));
  await userEvent.click(await screen.findByRole("button", { name: "New task" }));
  const times = await screen.findByRole("region", { name: "Next times" });
  expect(within(times).getAllByRole("listitem")).toHaveLength(2);
  expect(times.textContent).toMatch(/Mon,? 14 Jan 2030, 09:00/);
  expect(await violations(container)).toEqual([]);
});

test("what is wrong stands at its field while one types", async () => {
  const problem = { kind: "invalid_request", detail: "the hour can't be '25'", path: "/cron", status: 422 };
  const refusal = Response.json(problem, {
    status: 422,
    headers: { "content-type": "application/problem+json" },
  });
  const { writes } = setUp(null, undefined, refusal);
  await userEvent.click(await screen.findByRole("button", { name: "New task" }));
  const cron = screen.getByLabelText("When (cron)");
  await vi.waitFor(() => expect(cron.getAttribute("aria-invalid")).toBe("true"));
  expect(screen.getByRole("alert").textContent).toBe("the hour can't be '25'");
  expect(writes()).toEqual([]);
});
