import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deltaFrame, eventFrame, streamsByHand } from "../../testing/streams";
import { backOff } from "../backOff";
import type { Frame } from "./frames";
import { openStream, SILENCE_MS, type Stream } from "./stream";
import { whileVisible } from "./whileVisible";

let stream: Stream | null = null;
const settle = () => vi.advanceTimersByTimeAsync(1);

/** A connection whose owner wants `wanted`, and what it heard. */
function open(wanted: { after: string | null; watch: string[] } = { after: "0", watch: [] }) {
  const frames: (number | string)[] = [];
  const states: string[] = [];
  const name = (frame: Frame) => (frame.kind === "event" ? frame.sequence : frame.kind);
  stream = whileVisible(openStream)({
    wanted: () => wanted,
    patience: () => 1000,
    onFrame: (frame) => void frames.push(name(frame)),
    onConnection: (state, problem) => void states.push(problem ? `${state}: ${problem.message}` : state),
  });
  return { frames, states, wanted };
}

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  stream?.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("it asks for what is wanted, and hands on events and pieces", async () => {
  const { streams } = streamsByHand();
  const { frames, states } = open({ after: "4", watch: ["s_1", "s_2"] });
  await settle();
  expect(streams[0]?.query).toBe("?after=4&watch=s_1&watch=s_2&rows=true");
  streams[0]?.write(eventFrame(5) + deltaFrame("Hi"));
  await vi.waitFor(() => expect(frames).toEqual([5, "delta"]));
  expect(states).toEqual(["connecting", "live"]);
});

test("after a cut it comes back, and asks for what is wanted then", async () => {
  const { streams } = streamsByHand();
  const { states, wanted } = open({ after: null, watch: [] });
  await settle();
  expect(streams[0]?.query).toBe("?rows=true");
  wanted.after = "5";
  streams[0]?.end();
  await vi.waitFor(() => expect(states.at(-1)).toBe("interrupted"));
  await vi.advanceTimersByTimeAsync(1000);
  expect(streams[1]?.query).toBe("?after=5&rows=true");
  expect(states.at(-1)).toBe("live");
});

test("another connection takes the place of one that is still there", async () => {
  const { streams } = streamsByHand();
  const { frames, wanted } = open();
  await settle();
  wanted.after = "2";
  stream?.restart();
  streams[0]?.write(eventFrame(9));
  await settle();
  expect(streams[0]?.closed()).toBe(true);
  streams[1]?.write(eventFrame(3));
  await vi.waitFor(() => expect(frames).toEqual([3]));
});

test("a connection that fell silent is given up and made again", async () => {
  const { streams } = streamsByHand();
  open();
  await settle();
  await vi.advanceTimersByTimeAsync(SILENCE_MS + 2000);
  expect(streams[0]?.closed()).toBe(true);
  expect(streams.length).toBeGreaterThan(1);
});

test("a refusal is told and not repeated", async () => {
  const { streams, refusals } = streamsByHand();
  refusals.push(new Response('{"kind":"invalid_request","detail":"The log ends before"}', { status: 400 }));
  const { states } = open();
  await vi.waitFor(() => expect(states.at(-1)).toBe("refused: The log ends before"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(streams).toHaveLength(0);
});

test("a server in trouble is asked again", async () => {
  const { streams, refusals } = streamsByHand();
  refusals.push(new Response("", { status: 503 }), new Response("", { status: 429 }));
  open();
  await settle();
  await vi.advanceTimersByTimeAsync(2000);
  expect(streams).toHaveLength(1);
});

test("one event that can't be read does not stop those after it", async () => {
  const { streams } = streamsByHand();
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  const { frames } = open();
  await settle();
  streams[0]?.write(`event: event\nid: 1\ndata: {not json\n\n${eventFrame(2)}`);
  await vi.waitFor(() => expect(frames).toEqual([2]));
  expect(reported).toHaveBeenCalledOnce();
});

test("a hidden page lets its stream go, and takes it up again when it is shown", async () => {
  const { streams } = streamsByHand();
  const visibility = vi.spyOn(document, "visibilityState", "get");
  const { states } = open();
  await settle();
  visibility.mockReturnValue("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(1500);
  expect(states.at(-1)).toBe("paused");
  expect(streams[0]?.closed()).toBe(true);
  visibility.mockReturnValue("visible");
  document.dispatchEvent(new Event("visibilitychange"));
  await settle();
  expect(streams).toHaveLength(2);
  expect(states.at(-1)).toBe("live");
});

test("waits double up to a cap", () => {
  expect([0, 1, 2].map((attempt) => backOff(attempt, 1))).toEqual([400, 800, 1600]);
  expect(backOff(50, 1)).toBe(15_000);
  expect(backOff(50, 0)).toBe(7_500);
});
