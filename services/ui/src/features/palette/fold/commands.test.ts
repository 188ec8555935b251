import { expect, test } from "vitest";
import { session } from "../../../testing/given";
import { actionsOf, coloursTo, sessionsTo } from "./commands";

const nothing = () => {};
const ask = async () => {};
const ACTIONS = {
  stop: ask,
  retry: ask,
  archive: ask,
  reopen: ask,
  erase: nothing,
  find: nothing,
  fork: nothing,
  rewind: nothing,
  trace: nothing,
  exported: nothing,
};
const offered = (change: Parameters<typeof session>[0]) =>
  actionsOf(session(change), ACTIONS).map(({ id }) => id);
const ALWAYS = ["find", "rewind", "fork", "trace", "export"];

test("a session is offered what can be done with it as it is", () => {
  expect(offered({ status: "idle" })).toEqual([...ALWAYS, "archive", "delete"]);
  expect(offered({ status: "running" })).toEqual(["stop", ...ALWAYS, "archive", "delete"]);
  expect(offered({ status: "waiting_for_input" })).toEqual(["stop", ...ALWAYS, "archive", "delete"]);
  const failed = { failed_sequence: 3, kind: "provider", message: "No", retryable: true, retry_at: null };
  expect(offered({ status: "idle", failed_turn: failed })).toEqual(["retry", ...ALWAYS, "archive", "delete"]);
  expect(offered({ status: "completed" })).toEqual([...ALWAYS, "reopen", "delete"]);
  expect(offered({ status: "completed", parent_id: "s_0" })).toEqual(ALWAYS);
  expect(offered({ status: "error" })).toEqual([...ALWAYS, "delete"]);
});

test("what is in a chat is looked for only where the chat is in sight", () => {
  const ids = actionsOf(session({}), { ...ACTIONS, find: null }).map(({ id }) => id);
  expect(ids).not.toContain("find");
});

test("sessions are found by their titles, their ids, and what was said in them", () => {
  const all = [session({ id: "s_1", title: "Trip" }), session({ id: "s_2", title: null })];
  const said = session({ id: "s_9", title: "Old", status: "completed" });
  const ids = (typed: string, found = [said], most = 9) =>
    sessionsTo(all, { typed, found: typed ? found : [] }, nothing, most).map(({ id }) => id);
  expect(ids("")).toEqual(["session s_1", "session s_2"]);
  expect(ids("", [], 1)).toEqual(["session s_1"]);
  expect(ids("tri")).toEqual(["session s_1", "session s_9"]);
  expect(ids("s_2", [])).toEqual(["session s_2"]);
  expect(ids("new chat", [])).toEqual(["session s_2"]);
  expect(ids("teapot")).toEqual(["session s_9"]);
  const [, old] = sessionsTo(all.slice(0, 1), { typed: "tri", found: [said] }, nothing, 9);
  expect(old?.detail).toContain("archived");
  expect(old?.found).toContain("tri"); // its title does not hold it
});

test("colours are those that are not on", () => {
  expect(coloursTo("dark", nothing).map(({ id }) => id)).toEqual(["colours light", "colours system"]);
});
