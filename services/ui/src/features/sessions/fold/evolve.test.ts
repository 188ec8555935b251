import { expect, test } from "vitest";
import type { LogEvent } from "../../../lib/wire";
import { event, session, timeOf } from "../../../testing/given";
import { evolve } from "./evolve";
import { EMPTY_LIST, position, withSessions } from "./view";

const listed = () => withSessions(EMPTY_LIST, [session({ last_sequence: 5 })]);

test("a new session appears, with its parent", () => {
  const created = event(6, "created", { agent_id: "main", token_limit: 9, parent_id: "s_1" }, "s_2");
  expect(evolve(listed(), created).sessions.s_2).toMatchObject({
    status: "idle",
    parent_id: "s_1",
    title: null,
  });
});

test("the chats of a bisection's probes are in no list", () => {
  const view = listed();
  const probe = { agent_id: "probe_q_1" };
  const created = event(6, "created", { ...probe, token_limit: 9 }, "s_2");
  expect(evolve(view, { ...created, ...probe })).toBe(view);
  expect(evolve(view, { ...event(7, "turn_started", {}, "s_2"), ...probe })).toBe(view);
});

test("status and title follow the events", () => {
  const waiting = [
    event(6, "turn_started", {}),
    event(7, "titled", { title: "Tea" }),
    event(8, "waiting", { calls: [] }),
  ].reduce(evolve, listed());
  expect(waiting.sessions.s_1).toMatchObject({ status: "waiting_for_input", title: "Tea", last_sequence: 8 });
});

test("events from before the session was loaded change nothing", () => {
  const view = listed();
  expect(evolve(view, event(4, "failed", { kind: "x", message: "y" }))).toBe(view);
});

test("events that show nothing in the list make no new view", () => {
  const view = listed();
  const call = event(6, "tool_call_requested", {
    call_id: "c",
    tool: "t",
    arguments: {},
    runs_on: "tools",
    effect: "pure",
  });
  expect(evolve(view, call)).toBe(view);
});

test("a session beyond the loaded pages is remembered as unknown, once", () => {
  const view = [event(6, "turn_started", {}, "s_9"), event(7, "became_idle", {}, "s_9")].reduce(
    evolve,
    listed(),
  );
  expect(view.unknown).toEqual(["s_9"]);
  expect(withSessions(view, [session({ id: "s_9" })]).unknown).toEqual([]);
});

test("work in the background does not move a session up, a message does", () => {
  const working = evolve(listed(), event(6, "turn_started", {}));
  expect(working.sessions.s_1?.active_at).toBe(timeOf(1));
  expect(evolve(working, event(7, "user_message", { text: "x" })).sessions.s_1?.active_at).toBe(timeOf(7));
});

test("a chat that fails and tries again keeps its place; when the agent speaks, it moves up", () => {
  const failure = { kind: "overloaded", message: "busy", retryable: true, retry_at: timeOf(9) };
  const failing = [
    event(6, "turn_started", {}),
    event(7, "turn_failed", failure),
    event(8, "turn_started", {}),
    event(9, "turn_failed", failure),
  ].reduce(evolve, listed());
  expect(failing.sessions.s_1?.active_at).toBe(timeOf(1));
  const answer = { call_id: "m1", text: "Here.", model: "m", usage: { input: 1, output: 1 } };
  const said = evolve(failing, event(10, "model_call_completed", answer));
  expect(said.sessions.s_1?.active_at).toBe(timeOf(10));
  const read = session({ last_sequence: 12, active_at: timeOf(10), updated_at: timeOf(12) });
  expect(withSessions(said, [read]).sessions.s_1?.active_at).toBe(timeOf(10));
});

test("an older read does not undo newer events", () => {
  const running = evolve(listed(), event(6, "turn_started", {}));
  expect(withSessions(running, [session({ last_sequence: 5 })]).sessions.s_1?.status).toBe("running");
});

test("live events follow on from the newest event that the list shows", () => {
  expect(position(withSessions(listed(), [session({ id: "s_2", last_sequence: 40 })]))).toBe(40);
  expect(position(EMPTY_LIST)).toBe(0);
});

test("a fork stands below the session that it was forked from, with its title unless it has one", () => {
  const forked = event(7, "forked_from", { agent_id: "main", session_id: "s_1", at: 5 }, "s_2");
  const created = (title: string | null) =>
    event(6, "created", { agent_id: "main", token_limit: 9, title }, "s_2");
  expect([created(null), forked].reduce(evolve, listed()).sessions.s_2?.title).toBe("A chat");
  expect([created(null), forked].reduce(evolve, listed()).sessions.s_2?.forked_from_id).toBe("s_1");
  expect([created("Mine"), forked].reduce(evolve, listed()).sessions.s_2?.title).toBe("Mine");
});

test("a failed turn is marked until the session goes on", () => {
  const failed = evolve(listed(), event(7, "turn_failed", { kind: "overloaded", message: "busy" }));
  expect(failed.sessions.s_1).toMatchObject({
    status: "idle",
    failed_turn: { failed_at: 7, retry_at: null },
  });
  expect(evolve(failed, event(8, "turn_started", {})).sessions.s_1?.failed_turn).toBeNull();
});

test("an archived chat that is reopened is idle; one that ended otherwise stays as it is", () => {
  const archived = evolve(listed(), event(6, "completed", { reason: "archived" }));
  expect(evolve(archived, event(7, "reopened", {})).sessions.s_1?.status).toBe("idle");
  const failed = evolve(listed(), event(6, "failed", { kind: "x", message: "y" }));
  expect(evolve(failed, event(7, "reopened", {})).sessions.s_1?.status).toBe("error");
});

test("a chat that was deleted, here or elsewhere, is in the list no more, whatever else comes of it", () => {
  const erased = { kind: "erased", name: "s_1", value: null, version: 1 };
  const mark = { ...event(6, "became_idle", {}), session_id: null, type: "foldline.agent.entity_written.v1" };
  const view = evolve(listed(), { ...mark, body: erased } as unknown as LogEvent);
  expect(view.sessions).toEqual({});
  expect(evolve(view, event(7, "completed", { reason: "archived" }))).toBe(view);
  expect(withSessions(view, [session({ last_sequence: 7 })]).sessions).toEqual({});
});
