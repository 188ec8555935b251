import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deltaFrame, eventFrame, streamsByHand } from "../../testing/streams";
import { type Hub, openHub } from "./hub";
import type { LineEnd, OpenLine } from "./line";
import { type Live, openLive, type Wish } from "./openLive";
import { shareBy } from "./shared";
import { openStream } from "./stream";

/** A browser whose tabs reach whoever leads at once; `takeOver`: somebody else leads from now on. */
function browser() {
  const ends = new Set<LineEnd>();
  let hub: Hub;
  let answers = true;
  let replaced = 0;
  const takeOver = () => {
    hub?.close();
    hub = openHub(openLive(openStream), (tab, said) => {
      for (const end of ends) if (answers && end.tab === tab) end.onSaid(structuredClone(said));
    });
    for (const end of ends) end.onLeader();
  };
  const openLine: OpenLine = (end) => {
    ends.add(end);
    queueMicrotask(end.onLeader);
    return {
      send: (said) => hub.heard(structuredClone(said)),
      replace: () => {
        replaced += 1;
        answers = true;
        takeOver();
      },
      close: () => void ends.delete(end),
    };
  };
  takeOver();
  return {
    takeOver,
    tab: () => openLive(shareBy(openLine)),
    fallSilent: () => {
      answers = false;
    },
    replaced: () => replaced,
  };
}

const close: (() => void)[] = [];

/** One in a tab that wants `wish`, and what it heard. */
function subscriber(live: Live, wish: Omit<Wish, "whenHidden"> = {}, after = 4) {
  const heard: (number | string)[] = [];
  const states: string[] = [];
  const subscription = live.subscribe(
    { ...wish, whenHidden: 5_000 },
    {
      onEvent: ({ sequence }) => void heard.push(sequence),
      onDelta: ({ text }) => void heard.push(text ?? ""),
      onConnection: (state, problem) => void states.push(problem ? `${state}: ${problem.message}` : state),
    },
  );
  subscription.followAfter(after);
  close.push(subscription.close);
  return { heard, states, ...subscription };
}

const settle = () => vi.advanceTimersByTimeAsync(200);

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  for (const one of close.splice(0)) one();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("eight tabs share one connection, and each hears of its own", async () => {
  const { open } = streamsByHand();
  const shared = browser();
  const tabs = Array.from({ length: 8 }, () => shared.tab());
  const lists = tabs.map((tab) => subscriber(tab));
  await settle();
  const chat = subscriber(tabs[7] as Live, { sessionId: "s_1", watch: ["s_1"] });
  await settle();
  expect(open().map(({ query }) => query)).toEqual(["?after=4&watch=s_1&rows=true"]);
  open()[0]?.write(eventFrame(5) + deltaFrame("Hi") + eventFrame(6, "s_2"));
  await settle();
  expect(lists.map(({ heard }) => heard)).toEqual(Array(8).fill([5, 6]));
  expect(chat.heard).toEqual([5, "Hi"]);
});

test("whoever leads next goes on after what each tab has heard: no gap, no repeat", async () => {
  const { open } = streamsByHand();
  const shared = browser();
  const early = subscriber(shared.tab(), {}, 2);
  const late = subscriber(shared.tab(), {}, 4);
  await settle();
  open()[0]?.write(eventFrame(3) + eventFrame(5));
  await settle();
  shared.takeOver();
  await settle();
  expect(open().map(({ query }) => query)).toEqual(["?after=5&rows=true"]);
  open()[0]?.write(eventFrame(6));
  await settle();
  expect([early.heard, late.heard]).toEqual([
    [3, 5, 6],
    [5, 6],
  ]);
  expect(early.states).toEqual(["connecting", "live", "connecting", "live"]);
});

test("a tab that has read less than the connection has had gets what it missed, the others nothing twice", async () => {
  const { open } = streamsByHand();
  const shared = browser();
  const first = subscriber(shared.tab(), {}, 8);
  await settle();
  open()[0]?.write(eventFrame(9));
  await settle();
  const second = subscriber(shared.tab(), {}, 3);
  await settle();
  expect(open().map(({ query }) => query)).toEqual(["?after=3&rows=true"]);
  open()[0]?.write(eventFrame(4) + eventFrame(9) + eventFrame(10));
  await settle();
  expect([first.heard, second.heard]).toEqual([
    [9, 10],
    [4, 9, 10],
  ]);
});

test("the connection ends with the last tab", async () => {
  const { open } = streamsByHand();
  const shared = browser();
  const [one, other] = [subscriber(shared.tab()), subscriber(shared.tab())];
  await settle();
  one.close();
  await settle();
  expect(open()).toHaveLength(1);
  other.close();
  await settle();
  expect(open()).toHaveLength(0);
});

test("a leader that doesn't answer is replaced", async () => {
  const { open } = streamsByHand();
  const shared = browser();
  const tab = subscriber(shared.tab());
  await settle();
  shared.fallSilent();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(shared.replaced()).toBe(1);
  open()[0]?.write(eventFrame(5));
  await settle();
  expect(tab.heard).toEqual([5]);
});

test("each tab hears why the connection was refused", async () => {
  const { refusals } = streamsByHand();
  const shared = browser();
  const detail = "The log ends before";
  refusals.push(new Response(JSON.stringify({ kind: "invalid_request", detail }), { status: 400 }));
  const tabs = [subscriber(shared.tab()), subscriber(shared.tab())];
  await settle();
  expect(tabs.map(({ states }) => states.at(-1))).toEqual(Array(2).fill(`refused: ${detail}`));
});
