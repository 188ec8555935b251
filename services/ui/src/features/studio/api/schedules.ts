/** The gateway's operations on what waits for a time: scheduled tasks, reminders, and the agent's timezone. */
import { answerOf, api, once } from "../../../lib/api";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";
import type { NextTimes, Reminder, Schedule, ScheduleDraft, ScheduleRuns } from "../../../lib/wire";
import { readSettings, writeSettings } from "./settings";

/** Runs per page. */
const PAGE = 20;

export interface Timed {
  schedules: readonly Schedule[];
  reminders: readonly Reminder[];
  timezone: Timezone;
}

/** All that waits for a time. */
export async function readTimed(agentId: string, signal: AbortSignal): Promise<Timed> {
  const init = { params: { path: { agent_id: agentId } }, signal };
  const [{ schedules }, { reminders }, timezone] = await Promise.all([
    answerOf(api.GET("/agents/{agent_id}/schedules", init)),
    answerOf(api.GET("/agents/{agent_id}/reminders", init)),
    readTimezone(agentId, signal),
  ]);
  return { schedules, reminders, timezone };
}

/** What became of a task's times, newest first. */
export function readRuns(
  agentId: string,
  scheduleId: string,
  before: number | null,
  signal: AbortSignal,
): Promise<ScheduleRuns> {
  const params = { path: { agent_id: agentId, name: scheduleId }, query: { before, limit: PAGE } };
  return answerOf(api.GET("/agents/{agent_id}/schedules/{name}/runs", { params, signal }));
}

/** Who changed a task and when, newest first. */
export function readScheduleVersions(agentId: string, scheduleId: string, signal: AbortSignal) {
  const params = { path: { agent_id: agentId, name: scheduleId } };
  return answerOf(api.GET("/agents/{agent_id}/schedules/{name}/versions", { params, signal }));
}

/** Try under one key, so that a repeat never writes a second time. */
function written<T>(write: (header: ReturnType<typeof once>) => Promise<T>): Promise<T> {
  const header = once(newKey());
  return retrying(() => write(header));
}

/** The next times of a task that isn't stored; refused with the field that is wrong. */
export function readNextTimes(
  agentId: string,
  body: Record<"at" | "cron" | "timezone", string | null>,
  signal: AbortSignal,
): Promise<NextTimes> {
  const params = { path: { agent_id: agentId } };
  return answerOf(api.POST("/agents/{agent_id}/schedules/next-times", { params, body, signal }));
}

export function createSchedule(agentId: string, body: ScheduleDraft): Promise<Schedule> {
  return written((header) =>
    answerOf(
      api.POST("/agents/{agent_id}/schedules", { params: { path: { agent_id: agentId }, header }, body }),
    ),
  );
}

/** Change a task, if it is still what it was at `version`. */
export function saveSchedule(
  agentId: string,
  scheduleId: string,
  draft: ScheduleDraft,
  version: number,
): Promise<Schedule> {
  const path = { agent_id: agentId, name: scheduleId };
  const body = { ...draft, version };
  return written((header) =>
    answerOf(api.PUT("/agents/{agent_id}/schedules/{name}", { params: { path, header }, body })),
  );
}

/** Pause it, let it go on, or run it now. */
export function steer(
  agentId: string,
  scheduleId: string,
  action: "pause" | "resume" | "run",
): Promise<Schedule> {
  const path = { agent_id: agentId, name: scheduleId };
  return written((header) =>
    answerOf(api.POST(`/agents/{agent_id}/schedules/{name}/${action}`, { params: { path, header } })),
  );
}

export function removeSchedule(agentId: string, scheduleId: string): Promise<unknown> {
  const path = { agent_id: agentId, name: scheduleId };
  return written((header) =>
    answerOf(api.DELETE("/agents/{agent_id}/schedules/{name}", { params: { path, header } })),
  );
}

/** Make what event `sequence` wrote the newest version. */
export function revertSchedule(agentId: string, scheduleId: string, sequence: number): Promise<unknown> {
  const params = { path: { agent_id: agentId, name: scheduleId } };
  return written((header) =>
    answerOf(
      api.POST("/agents/{agent_id}/schedules/{name}/revert", {
        params: { ...params, header },
        body: { sequence },
      }),
    ),
  );
}

export function cancelReminder(agentId: string, reminderId: string): Promise<unknown> {
  const path = { agent_id: agentId, name: reminderId };
  return written((header) =>
    answerOf(api.DELETE("/agents/{agent_id}/reminders/{name}", { params: { path, header } })),
  );
}

/** The agent's zone, and the version of its own setting of it; 0: it has none. */
export interface Timezone {
  timezone: string;
  version: number;
}

async function readTimezone(agentId: string, signal: AbortSignal): Promise<Timezone> {
  const { settings } = await readSettings(agentId, signal);
  const found = settings.find(({ name }) => name === "timezone");
  return { timezone: String(found?.value ?? "UTC"), version: found?.own?.version ?? 0 };
}

/** Choose the agent's zone; null: that of all agents. */
export function chooseTimezone(agentId: string, timezone: string | null, version: number): Promise<unknown> {
  return writeSettings(agentId, { timezone }, { timezone: version });
}
