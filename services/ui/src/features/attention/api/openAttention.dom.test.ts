import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Live, LiveListener, Wish } from "../../../lib/live/openLive";
import { event } from "../../../testing/given";
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
  at: "2026-01-31T12:00:00.000Z",
  until: "2026-03-01T12:00:00.000Z",
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

test("events that come together are one read, as of the last of them", async () => {
  const { open, asked, hear, told } = given(EMPTY, { ...EMPTY, wakes: [WAKE], wakesTotal: 1 });
  await vi.runAllTimersAsync();
  expect(open.get().view?.wakesTotal).toBe(0);
  hear(event(5, "waiting", { calls: ["c_1"] }));
  hear(event(9, "became_idle", {}));
  hear(event(11, "model_call_requested", { call_id: "m_1" }));
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

test("closed, it reads no more", async () => {
  const { open, asked, hear } = given(EMPTY);
  await vi.runAllTimersAsync();
  hear(event(5, "waiting", { calls: ["c_1"] }));
  open.close();
  await vi.runAllTimersAsync();
  expect(asked).toEqual([null]);
});
