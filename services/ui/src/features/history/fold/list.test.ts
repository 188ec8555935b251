import { expect, test } from "vitest";
import type { Timeline, TimelineEvent } from "../../../lib/wire";
import { begun, neighbours, withNewer, withOlder } from "./list";

const happening = (sequence: number, hidden_by: number | null = null): TimelineEvent => ({
  sequence,
  hidden_by,
  type: "user_message",
  time: null,
  actor: "user",
  call_id: null,
  tool: null,
  number: null,
  text: "",
  problem: null,
});
const page = (events: TimelineEvent[], before: string | null = null): Timeline => ({
  events,
  before,
  count: 9,
});
const sequences = (list: ReturnType<typeof begun>) => list.events.map((event) => event.sequence);

test("older pages follow, newer events come before, none twice", () => {
  const list = withOlder(
    begun(page([happening(9), happening(7)], "7")),
    page([happening(7), happening(4)], "4"),
  );
  expect(sequences(list)).toEqual([9, 7, 4]);
  const more = withNewer(list, page([happening(12), happening(9), happening(7)], "7"));
  expect(sequences(more)).toEqual([12, 9, 7, 4]);
  expect(more.before).toBe("4");
});

test("what a rollback hid since is marked", () => {
  const list = begun(page([happening(7), happening(4)]));
  const after = withNewer(list, page([happening(9), happening(7, 9), happening(4)]));
  expect(after.events.map((event) => event.hidden_by)).toEqual([null, 9, null]);
});

test("where so much came that a page doesn't reach back, the list begins anew instead of having a hole", () => {
  const list = begun(page([happening(4)]));
  expect(sequences(withNewer(list, page([happening(9), happening(8)], "8")))).toEqual([9, 8]);
  expect(sequences(withNewer(list, page([happening(9), happening(8)])))).toEqual([9, 8, 4]);
});

test("an event has neighbours in time", () => {
  const list = begun(page([happening(9), happening(7), happening(4)]));
  expect(neighbours(list, 7)).toEqual({ earlier: 4, later: 9 });
  expect(neighbours(list, 4)).toEqual({ earlier: null, later: 7 });
});
