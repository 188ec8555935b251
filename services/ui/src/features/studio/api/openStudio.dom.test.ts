import { expect, test, vi } from "vitest";
import type { LogEvent } from "../../../lib/wire";
import { timeOf } from "../../../testing/given";
import { liveByHand } from "../../../testing/liveEvents";
import type { Lists } from "../fold/view";
import { openStudio } from "./openStudio";

const NOTHING: Lists = {};

const written = (sequence: number, name: string): LogEvent =>
  ({
    ...{ sequence, session_id: null, agent_id: "a", time: timeOf(sequence), actor: "agent", causation: null },
    ...{ event_id: "e", type: "foldline.agent.entity_written.v1" },
    body: { kind: "state", name, value: 1, version: 1 },
  }) as unknown as LogEvent;

/** A studio whose stream and reads the test answers by hand. */
function studio() {
  const reads: { answer: (lists: Lists) => void; fail: (error: Error) => void }[] = [];
  const { live, heard } = liveByHand();
  const opened = openStudio("a", {
    live,
    readLists: () =>
      new Promise((answer, fail) => {
        reads.push({ answer, fail });
      }),
    retrying: (action) => action(),
  });
  const { onConnection, onEvent } = heard().listener;
  if (!onConnection) throw new Error("it does not want to know how the connection is doing");
  return { opened, reads, heard: heard(), listener: { onEvent, onConnection } };
}

const keys = (opened: ReturnType<typeof openStudio>) => Object.keys(opened.get().view.lists.state ?? {});

test("it reads once the stream is there, so that nothing falls between", async () => {
  const { opened, reads, heard, listener } = studio();
  expect(heard).toMatchObject({ wish: { agentId: "a" }, following: { on: null } });
  expect(reads).toHaveLength(0);
  listener.onConnection("live");
  listener.onEvent(written(5, "while-reading"));
  reads[0]?.answer(NOTHING);
  await vi.waitFor(() => expect(opened.get().loaded).toBe(true));
  expect(keys(opened)).toEqual(["while-reading"]);
  listener.onEvent(written(6, "later"));
  expect(keys(opened)).toEqual(["while-reading", "later"]);
});

test("a new connection reads everything again: what was deleted meanwhile is gone", async () => {
  const { opened, reads, listener } = studio();
  listener.onConnection("live");
  reads[0]?.answer(NOTHING);
  await vi.waitFor(() => expect(opened.get().reads).toBe(1));
  listener.onEvent(written(5, "one"));
  listener.onConnection("interrupted");
  listener.onConnection("live");
  expect(keys(opened)).toEqual(["one"]);
  reads[1]?.answer(NOTHING);
  await vi.waitFor(() => expect(opened.get().reads).toBe(2));
  expect(keys(opened)).toEqual([]);
});

test("a read that fails says so, and another try may do", async () => {
  const { opened, reads, listener } = studio();
  listener.onConnection("live");
  reads[0]?.fail(new Error("the log is away"));
  await vi.waitFor(() => expect(opened.get().failure).toBe("the log is away"));
  opened.reload();
  expect(opened.get().failure).toBeNull();
  reads[1]?.answer(NOTHING);
  await vi.waitFor(() => expect(opened.get().loaded).toBe(true));
});

test("a refused stream says why, and closing lets go of it", () => {
  const { opened, listener, heard } = studio();
  listener.onConnection("refused");
  expect(opened.get().connection).toBe("refused");
  opened.close();
  expect(heard.closed).toBe(true);
});
