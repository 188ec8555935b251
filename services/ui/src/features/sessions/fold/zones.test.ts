/** Days are those of the person who looks, wherever they are and whatever their clocks do. */
import { afterAll, expect, test, vi } from "vitest";
import { session } from "../../../testing/given";

const own = process.env.TZ;
afterAll(() => {
  if (own === undefined) delete process.env.TZ;
  else process.env.TZ = own;
  vi.resetModules();
});

/** The labels of a session that was last active at `active_at`, and of that time, for who looks at `now` in `zone`. */
async function seen(zone: string, active_at: string, now: string): Promise<[string | undefined, string]> {
  process.env.TZ = zone;
  vi.resetModules();
  const { grouped } = await import("./groups");
  const { dayWords } = await import("../../../lib/words");
  const [group] = grouped([{ ...session({ id: "s_1" }), active_at }], new Date(now));
  return [group?.label, dayWords(active_at, new Date(now))];
}

test.each([
  // far from UTC: yesterday by UTC's date is today there, and the other way round
  ["Asia/Tokyo", "2026-01-31T15:00:00Z", "2026-02-01T03:00:00Z", "Today", "Today"],
  ["Asia/Tokyo", "2026-01-31T14:59:00Z", "2026-01-31T15:00:00Z", "Yesterday", "Yesterday"],
  ["America/Los_Angeles", "2026-01-31T20:00:00Z", "2026-02-01T07:59:00Z", "Today", "Today"],
  ["America/Los_Angeles", "2026-02-01T07:59:00Z", "2026-02-01T08:00:00Z", "Yesterday", "Yesterday"],
  ["Asia/Kathmandu", "2026-01-31T18:15:00Z", "2026-01-31T18:20:00Z", "Today", "Today"],
  ["Asia/Kathmandu", "2026-01-31T18:14:00Z", "2026-01-31T18:15:00Z", "Yesterday", "Yesterday"],
  // days of 23 and of 25 hours, and one that begins at 01:00
  ["Europe/Oslo", "2026-03-28T22:59:00Z", "2026-03-29T21:59:00Z", "Yesterday", "Yesterday"],
  ["Europe/Oslo", "2026-03-29T12:00:00Z", "2026-03-30T12:00:00Z", "Yesterday", "Yesterday"],
  ["Australia/Sydney", "2026-10-04T02:00:00Z", "2026-10-05T02:00:00Z", "Yesterday", "Yesterday"],
  ["Europe/Oslo", "2026-10-24T22:00:00Z", "2026-10-25T22:59:00Z", "Today", "Today"],
  ["Europe/Oslo", "2026-10-24T21:59:00Z", "2026-10-25T22:59:00Z", "Yesterday", "Yesterday"],
  ["Australia/Sydney", "2026-10-03T13:59:00Z", "2026-10-04T12:59:00Z", "Yesterday", "Yesterday"],
  ["Australia/Sydney", "2026-04-04T13:00:00Z", "2026-04-05T13:59:00Z", "Today", "Today"],
  ["America/Santiago", "2026-09-06T03:59:00Z", "2026-09-06T04:00:00Z", "Yesterday", "Yesterday"],
  // further back: weeks over a change of the clocks, and the month and the weekday there
  ["Europe/Oslo", "2026-03-22T12:00:00Z", "2026-03-29T12:00:00Z", "Previous 7 days", "Sunday, 22 March 2026"],
  ["Asia/Tokyo", "2025-06-30T15:00:00Z", "2026-01-31T15:00:00Z", "July 2025", "Tuesday, 1 July 2025"],
  [
    "America/Los_Angeles",
    "2025-07-01T06:59:00Z",
    "2026-01-31T15:00:00Z",
    "June 2025",
    "Monday, 30 June 2025",
  ],
])("in %s, what was at %s is, at %s, of %s", async (zone, time, now, group, words) => {
  const [label, day] = await seen(zone, time, now);
  expect([label, day.replace(/^(\w+) /, "$1, ")]).toEqual([group, words]);
});
