/** When things happen, in words. */
import type { Schedule, ScheduleDraft, ScheduleRun } from "../../../lib/wire";

/** The viewer's own zone. */
export const viewersZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A moment in a zone: "Mon 6 January 2025, 09:00". */
export function timeIn(time: string, zone: string): string {
  const shown = new Intl.DateTimeFormat("en-GB", {
    ...{ weekday: "short", day: "numeric", month: "short", year: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit", timeZone: zone },
  });
  return shown.format(new Date(time));
}

/** The same moment for the viewer; null where their clock says the same. */
export function viewersTime(time: string, zone: string, own = viewersZone()): string | null {
  const there = timeIn(time, zone);
  const here = timeIn(time, own);
  return here === there ? null : here;
}

/** When a task runs, in words. */
export function whenWords({
  at,
  cron_words,
  timezone,
}: Pick<Schedule, "at" | "cron_words" | "timezone">): string {
  return at === null ? (cron_words ?? "") : `Once, ${timeIn(at, timezone)}`;
}

const OUTCOMES: Record<ScheduleRun["outcome"], string> = {
  asked: "About to run",
  queued: "Waiting for the run before it",
  started: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
  stopped: "Stopped",
  skipped: "Skipped",
  missed: "Missed",
};

export function outcomeWords({ outcome }: Pick<ScheduleRun, "outcome">): string {
  return OUTCOMES[outcome];
}

/** What a person writes of a task, as texts. */
export interface Form {
  name: string;
  task: string;
  often: boolean;
  cron: string;
  at: string;
  timezone: string;
  model: string;
  tokenLimit: string;
  misfire: Schedule["misfire"];
  overlap: Schedule["overlap"];
}

/** The form of a task as it is; of a new one without. */
export function formOf(schedule: Schedule | null, zone: string): Form {
  return {
    name: schedule?.name ?? "",
    task: schedule?.task ?? "",
    often: schedule === null || schedule.at === null,
    cron: schedule?.cron ?? (schedule ? "" : "0 9 * * *"),
    at: schedule?.at ? localTime(schedule.at, schedule.timezone) : "",
    timezone: schedule?.timezone ?? zone,
    model: schedule?.model ?? "",
    tokenLimit: schedule?.token_limit ? String(schedule.token_limit) : "",
    misfire: schedule?.misfire ?? "run_once",
    overlap: schedule?.overlap ?? "skip",
  };
}

/** What is asked for by a form that was `begun` with; a time that wasn't touched is sent as it was. */
export function draftOf(form: Form, schedule: Schedule | null): ScheduleDraft {
  const { name, task, often, cron, at, timezone, model, tokenLimit, misfire, overlap } = form;
  const kept = schedule?.at && at === localTime(schedule.at, timezone) ? schedule.at : at;
  return {
    ...{ name, task, timezone, misfire, overlap },
    ...(often ? { cron } : { at: kept }),
    model: model.trim() || null,
    token_limit: tokenLimit.trim() ? Number(tokenLimit) : null,
  };
}

/** A moment as a field for a date and a time holds it, by the clocks of a zone. */
export function localTime(time: string, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
    ...{ timeZone: zone, hourCycle: "h23" },
  }).formatToParts(new Date(time));
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}
