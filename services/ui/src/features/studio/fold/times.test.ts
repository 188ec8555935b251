import { expect, test } from "vitest";
import type { Schedule } from "../../../lib/wire";
import { draftOf, formOf, localTime, timeIn, viewersTime, whenWords } from "./times";

const AT = "2030-07-01T07:30:45.000Z";
const task = (change: Partial<Schedule> = {}): Schedule => ({
  ...{
    id: "t_1",
    name: "News",
    task: "Read",
    at: null,
    cron: "0 9 * * 1",
    cron_words: "At 09:00 on Monday",
    timezone: "Europe/Oslo",
  },
  ...{ model: null, token_limit: null, misfire: "run_once", overlap: "skip", enabled: true },
  ...{
    paused_because: null,
    next: [],
    last_run: null,
    version: 1,
    sequence: 5,
    written_at: AT,
    actor: "user",
  },
  ...{ session_id: null, call_id: null },
  ...change,
});

test("when a task runs is told in the server's words", () => {
  expect(whenWords(task())).toBe("At 09:00 on Monday");
  expect(whenWords(task({ at: AT, cron: null, cron_words: null }))).toBe("Once, Mon, 1 Jul 2030, 09:30");
});

test("a time is told in the task's zone, and for the viewer only where it differs", () => {
  expect(timeIn(AT, "Asia/Kolkata")).toBe("Mon, 1 Jul 2030, 13:00");
  expect(viewersTime(AT, "Europe/Oslo", "Europe/Berlin")).toBeNull();
  expect(viewersTime(AT, "Europe/Oslo", "UTC")).toBe("Mon, 1 Jul 2030, 07:30");
});

test("a form asks for exactly one of a time and cron", () => {
  const form = { ...formOf(null, "Europe/Oslo"), name: "n", task: "t" };
  expect(draftOf(form, null)).toMatchObject({ cron: "0 9 * * *", timezone: "Europe/Oslo", model: null });
  const once = draftOf({ ...form, often: false, at: "2030-07-01T09:30", tokenLimit: "500" }, null);
  expect(once).toMatchObject({ at: "2030-07-01T09:30", token_limit: 500 });
  expect("cron" in once).toBe(false);
});

test("a time that nobody touched is sent as it was, to the second", () => {
  const found = task({ at: AT, cron: null });
  const form = formOf(found, "UTC");
  expect(form.at).toBe("2030-07-01T09:30");
  expect(draftOf({ ...form, name: "Other" }, found)).toMatchObject({ name: "Other", at: AT });
  expect(draftOf({ ...form, at: "2030-07-02T09:30" }, found).at).toBe("2030-07-02T09:30");
  expect(localTime("2030-01-01T00:00:00Z", "UTC")).toBe("2030-01-01T00:00");
});
