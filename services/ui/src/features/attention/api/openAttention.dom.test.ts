import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Live, LiveListener, Wish } from "../../../lib/live/openLive";
import { event } from "../../../testing/given";
import { withRows } from "../../../testing/rows";
import { openAttention } from "./openAttention";
import type { readAttention } from "./requests";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const EMPTY = { things: [], total: 0, cursor: null, wakes: [], wakesTotal: 0 };
const WAKE = {
  id: "w_1",
  agent_id: "main",
  source: "shop",
  wake_id: "1",
  wake_type: null,
  priority: "later" as const,
  message: "An order",
  data: null,
  received_at: "2026-01-31T12:00:00.000Z",
  expires_at: "2026-03-01T12:00:00.000Z",
  session_id: null,
};

function given(...answers: Awaited<ReturnType<typeof readAttention>>[]) {
  let listener: LiveListener | null = null;
  const asked: (number | null)[] = [];
  const told: number[] = [];
  const live: Live = {
    subscribe(_: Wish, heard) {
      listener = heard;
      return { followAfter() {}, followOn() {}, hold() {}, close() {} };
    },
  };
  const read = async (from: number | null) => {
    asked.push(from);
    const answer = answers.shift();
    if (!answer) throw new Error("nobody asks so often");
    return answer;
  };
  const notify = ({ things, wakes }: { things: unknown[]; wakes: unknown[] }) =>
    void told.push(things.length + wakes.length);
  const open = openAttention({ read, live, notify });
  return { open, asked, told, hear: (at: ReturnType<typeof event>) => listener?.onEvent(at) };
}

const changes = (at: number, attention: number | null) =>
  withRows(event(at, "waiting", { calls: ["c_1"] }), {
    session: { attention: attention === null ? null : String(attention) },
  });

test("events that come together are one read, as of the last that changed what waits", async () => {
  const { open, asked, hear, told } = given(EMPTY, { ...EMPTY, wakes: [WAKE], wakesTotal: 1 });
  await vi.runAllTimersAsync();
  expect(open.get().view?.wakesTotal).toBe(0);
  hear(changes(5, 5));
  hear(changes(9, 9));
  hear(changes(11, 9));
  await vi.runAllTimersAsync();
  expect(asked).toEqual([null, 9]);
  expect(open.get().view?.wakes).toEqual([WAKE]);
  expect(told).toEqual([1]);
});

test("what was there when the page was opened is no news", async () => {
  const { told } = given({ ...EMPTY, wakes: [WAKE], wakesTotal: 1 });
  await vi.runAllTimersAsync();
  expect(told).toEqual([]);
});

test("what was read already is not read again, whichever session says so", async () => {
  const { asked, hear } = given(EMPTY, EMPTY);
  await vi.runAllTimersAsync();
  hear(changes(9, 9));
  await vi.runAllTimersAsync();
  hear(changes(12, 9));
  hear(changes(13, 5));
  hear(changes(14, null));
  await vi.runAllTimersAsync();
  expect(asked).toEqual([null, 9]);
});

test("closed, it reads no more", async () => {
  const { open, asked, hear } = given(EMPTY);
  await vi.runAllTimersAsync();
  hear(changes(5, 5));
  open.close();
  await vi.runAllTimersAsync();
  expect(asked).toEqual([null]);
});
