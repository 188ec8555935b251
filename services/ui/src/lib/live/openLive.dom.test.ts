import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deltaFrame, eventFrame, streamsByHand } from "../../testing/streams";
import { type Live, openLive, type Subscription, type Wish } from "./openLive";

let live: Live;
let open: Subscription[] = [];

/** One who wants `wish`: what it heard, in order. */
function subscriber(wish: Omit<Wish, "whenHidden"> = {}, whenHidden = 5_000) {
  const heard: (number | string)[] = [];
  const states: string[] = [];
  const subscription = live.subscribe(
    { ...wish, whenHidden },
    {
      onEvent: ({ sequence }) => void heard.push(sequence),
      onDelta: ({ text }) => void heard.push(text ?? ""),
      onAnswer: ({ text }) => void heard.push(`so far: ${text}`),
      onConnection: (state) => void states.push(state),
    },
  );
  open.push(subscription);
  return { heard, states, ...subscription };
}

/** The connection is there, and whatever was written has arrived. */
const settle = () => vi.advanceTimersByTimeAsync(100);
const alone = () => vi.advanceTimersByTimeAsync(1_100);

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  live = openLive();
});
afterEach(() => {
  for (const subscription of open) subscription.close();
  open = [];
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("all who listen share one connection, which begins with the earliest and watches what streams", async () => {
  const { streams } = streamsByHand();
  const list = subscriber();
  const chat = subscriber({ sessionId: "s_1", watch: ["s_1"] });
  const studio = subscriber({ agentId: "main" });
  studio.followOn();
  chat.followAfter(8);
  list.followAfter(5);
  await settle();
  expect(streams.map(({ query }) => query)).toEqual(["?after=5&watch=s_1&rows=true"]);
  streams[0]?.write(eventFrame(6, "s_2", "other") + eventFrame(7) + deltaFrame("Hi") + eventFrame(9));
  await settle();
  expect(list.heard).toEqual([6, 7, 9]);
  expect(chat.heard).toEqual(["Hi", 9]);
  expect(studio.heard).toEqual([7, 9]);
  expect([list.states, chat.states, studio.states]).toEqual(Array(3).fill(["connecting", "live"]));
});

test("pieces of an answer go only to who streams that session", async () => {
  const { streams } = streamsByHand();
  const chat = subscriber({ sessionId: "s_1", watch: ["s_1"] });
  const history = subscriber({ sessionId: "s_1" });
  chat.followAfter(0);
  history.followOn();
  await settle();
  streams[0]?.write(deltaFrame("Hi") + deltaFrame("Elsewhere", "s_2"));
  await settle();
  expect([chat.heard, history.heard]).toEqual([["Hi"], []]);
});

test("after a cut it goes on after the last event, with no gap and no repeat", async () => {
  const { streams } = streamsByHand();
  const { followAfter, heard, states } = subscriber();
  followAfter(4);
  await settle();
  streams[0]?.write(eventFrame(5));
  await settle();
  streams[0]?.end();
  await vi.waitFor(() => expect(states.at(-1)).toBe("interrupted"));
  await alone();
  expect(streams[1]?.query).toBe("?after=5&rows=true");
  streams[1]?.write(eventFrame(5) + eventFrame(6));
  await settle();
  expect(heard).toEqual([5, 6]);
});

test("what comes while somebody reads is kept, and follows on what was read", async () => {
  const { streams } = streamsByHand();
  subscriber().followAfter(4);
  await settle();
  const chat = subscriber({ sessionId: "s_1", watch: ["s_1"] });
  await settle();
  expect(streams.map((stream) => stream.closed())).toEqual([true, false]);
  streams[1]?.write(eventFrame(5) + eventFrame(6) + deltaFrame("Hi"));
  await settle();
  expect(chat.heard).toEqual([]);
  chat.followAfter(5);
  expect(chat.heard).toEqual([6, "Hi"]);
  streams[1]?.write(eventFrame(7));
  await settle();
  expect(chat.heard).toEqual([6, "Hi", 7]);
  expect(streams).toHaveLength(2);
});

test("who has read less than the connection has is told the rest again, and nobody else twice", async () => {
  const { streams, open: opened } = streamsByHand();
  const first = subscriber();
  first.followAfter(9);
  await settle();
  const late = subscriber();
  late.followAfter(7);
  await settle();
  expect(streams.map(({ query }) => query)).toEqual(["?after=9&rows=true", "?after=7&rows=true"]);
  expect(opened()).toHaveLength(1);
  streams[1]?.write([8, 9, 10].map((sequence) => eventFrame(sequence)).join(""));
  await settle();
  expect([first.heard, late.heard]).toEqual([[10], [8, 9, 10]]);
});

test("who holds hears nothing, and then what it missed", async () => {
  const { streams } = streamsByHand();
  const { followAfter, hold, heard } = subscriber({ sessionId: "s_1", watch: ["s_1"] });
  followAfter(4);
  await settle();
  streams[0]?.write(eventFrame(5));
  await settle();
  hold();
  streams[0]?.write(eventFrame(6) + deltaFrame("Hi"));
  await settle();
  expect(heard).toEqual([5]);
  followAfter(5);
  expect(heard).toEqual([5, 6, "Hi"]);
  expect(streams).toHaveLength(1);
});

test("a chat opened in mid-answer makes the connection anew, since only then comes what was before", async () => {
  const { streams } = streamsByHand();
  const list = subscriber();
  list.followAfter(4);
  await settle();
  streams[0]?.write(eventFrame(5));
  await settle();
  const chat = subscriber({ sessionId: "s_1", watch: ["s_1"] });
  await settle();
  expect(streams[1]?.query).toBe("?after=5&watch=s_1&rows=true");
  streams[1]?.write(
    'event: answer\ndata: {"session_id":"s_1","call_id":"m1","attempt":1,"next":1,"text":"He"}\n\n',
  );
  await settle();
  chat.followAfter(5);
  expect(chat.heard).toEqual(["so far: He"]);
  expect(list.states).toEqual(["connecting", "live"]);
});

test("those who only listen wait a little for who knows from where, and then begin with what happens", async () => {
  const { streams } = streamsByHand();
  const studio = subscriber({ agentId: "main" });
  studio.followOn();
  await settle();
  expect(streams).toHaveLength(0);
  await alone();
  expect(streams.map(({ query }) => query)).toEqual(["?rows=true"]);
});

test("the connection is let go with the last who listens, and begins afresh with the next", async () => {
  const { streams, open: opened } = streamsByHand();
  const first = subscriber();
  first.followAfter(4);
  await settle();
  first.close();
  expect(opened()).toHaveLength(0);
  subscriber().followAfter(2);
  await settle();
  expect(streams[1]?.query).toBe("?after=2&rows=true");
});

test("a hidden page keeps the connection as long as the most patient wants", async () => {
  const { open: opened } = streamsByHand();
  subscriber({}, 1_000).followAfter(4);
  subscriber({ sessionId: "s_1" }, 60_000).followAfter(4);
  await settle();
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(opened()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(opened()).toHaveLength(0);
});

test("after a refusal the next who comes tries again", async () => {
  const { streams, refusals } = streamsByHand();
  refusals.push(new Response("{}", { status: 400 }));
  const first = subscriber();
  first.followAfter(4);
  await vi.waitFor(() => expect(first.states.at(-1)).toBe("refused"));
  subscriber();
  await settle();
  expect(first.states.at(-1)).toBe("live");
  expect(streams).toHaveLength(1);
});

test("one who fails does not keep an event from the others", async () => {
  const { streams } = streamsByHand();
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  const onEvent = () => {
    throw new Error("a fault");
  };
  open.push(live.subscribe({ whenHidden: 0 }, { onEvent }));
  open[0]?.followAfter(4);
  const other = subscriber();
  other.followAfter(4);
  await settle();
  streams[0]?.write(eventFrame(5));
  await settle();
  expect(other.heard).toEqual([5]);
  expect(reported).toHaveBeenCalledOnce();
});
