import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { event } from "../testing/given";
import { backOff, type Connection, type FeedOptions, openFeed, SILENCE_MS } from "./eventFeed";
import type { LogEvent } from "./wire";

/** A gateway whose streams the test writes by hand. */
function gateway() {
  const requests: { url: string; write: (text: string) => void; end: () => void; aborted: () => boolean }[] =
    [];
  const answers: Response[] = [];
  vi.stubGlobal("fetch", async (url: string, { signal }: RequestInit) => {
    const refusal = answers.shift();
    if (refusal) return refusal;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    signal?.addEventListener("abort", () => writer.abort().catch(() => {}));
    requests.push({
      url,
      write: (text) => void writer.write(new TextEncoder().encode(text)),
      end: () => void writer.close(),
      aborted: () => signal?.aborted ?? false,
    });
    return new Response(readable);
  });
  return { requests, answers };
}

function frame(sequence: number): string {
  return `event: event\nid: ${sequence}\ndata: ${JSON.stringify(event(sequence, "turn_started", {}))}\n\n`;
}

function listener() {
  const events: LogEvent[] = [];
  const texts: (string | undefined)[] = [];
  const states: Connection[] = [];
  return {
    events,
    texts,
    states,
    onEvent: (one: LogEvent) => void events.push(one),
    onDelta: (delta: { text?: string }) => void texts.push(delta.text),
    onConnection: (state: Connection) => void states.push(state),
  };
}

let close = () => {};
function open(options: FeedOptions, heard: ReturnType<typeof listener>) {
  close = openFeed(options, heard);
}
const settle = () => vi.advanceTimersByTimeAsync(1);

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("it asks for what comes after where it was, and hands on events and pieces", async () => {
  const { requests } = gateway();
  const heard = listener();
  open({ sessionId: "s_1", after: 4 }, heard);
  await settle();
  expect(requests[0]?.url).toBe("api/v1/events?session_id=s_1&after=4");
  requests[0]?.write(`${frame(5)}event: delta\ndata: {"text":"Hi"}\n\n`);
  await vi.waitFor(() => expect(heard.texts).toEqual(["Hi"]));
  expect(heard.events.map((one) => one.sequence)).toEqual([5]);
  expect(heard.states).toEqual(["connecting", "live"]);
});

test("after a cut it comes back and goes on after the last event, with no repeat", async () => {
  const { requests } = gateway();
  const heard = listener();
  open({ after: 0 }, heard);
  await settle();
  requests[0]?.write(frame(5));
  await vi.waitFor(() => expect(heard.events).toHaveLength(1));
  requests[0]?.end();
  await vi.waitFor(() => expect(heard.states.at(-1)).toBe("interrupted"));
  await vi.advanceTimersByTimeAsync(1000);
  expect(requests[1]?.url).toBe("api/v1/events?after=5");
  requests[1]?.write(frame(5) + frame(6));
  await vi.waitFor(() => expect(heard.events.map((one) => one.sequence)).toEqual([5, 6]));
});

test("a connection that fell silent is given up and made again", async () => {
  const { requests } = gateway();
  open({ after: 3 }, listener());
  await settle();
  await vi.advanceTimersByTimeAsync(SILENCE_MS + 2000);
  expect(requests[0]?.aborted()).toBe(true);
  expect(requests.length).toBeGreaterThan(1);
});

test("a refusal is told and not repeated", async () => {
  const { requests, answers } = gateway();
  answers.push(new Response('{"kind":"not_found","detail":"no such session"}', { status: 404 }));
  const heard = listener();
  open({ sessionId: "s_9", after: 0 }, heard);
  await vi.waitFor(() => expect(heard.states.at(-1)).toBe("refused"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(requests).toHaveLength(0);
});

test("a server in trouble is asked again", async () => {
  const { requests, answers } = gateway();
  answers.push(new Response("", { status: 503 }));
  open({ after: 0 }, listener());
  await settle();
  await vi.advanceTimersByTimeAsync(1000);
  expect(requests).toHaveLength(1);
});

test("one event that can't be read does not stop those after it", async () => {
  const { requests } = gateway();
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  const heard = listener();
  open({ after: 0 }, heard);
  await settle();
  requests[0]?.write(`event: event\nid: 1\ndata: {not json\n\n${frame(2)}`);
  await vi.waitFor(() => expect(heard.events.map((one) => one.sequence)).toEqual([2]));
  expect(reported).toHaveBeenCalledOnce();
});

test("a hidden page lets its stream go, and takes it up again when it is shown", async () => {
  const { requests } = gateway();
  const heard = listener();
  const visibility = vi.spyOn(document, "visibilityState", "get");
  open({ after: 2, pauseWhenHidden: 1000 }, heard);
  await settle();
  visibility.mockReturnValue("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(1500);
  expect(heard.states.at(-1)).toBe("paused");
  expect(requests[0]?.aborted()).toBe(true);
  visibility.mockReturnValue("visible");
  document.dispatchEvent(new Event("visibilitychange"));
  await settle();
  expect(requests).toHaveLength(2);
  expect(heard.states.at(-1)).toBe("live");
});

test("waits double up to a cap", () => {
  expect([0, 1, 2].map((attempt) => backOff(attempt, 1))).toEqual([400, 800, 1600]);
  expect(backOff(50, 1)).toBe(15_000);
  expect(backOff(50, 0)).toBe(7_500);
});
