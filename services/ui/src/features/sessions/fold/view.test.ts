import { expect, test } from "vitest";
import type { LogEvent, Session } from "../../../lib/wire";
import { event, session, timeOf } from "../../../testing/given";
import { happens, withRows } from "../../../testing/rows";
import { EMPTY_LIST, position, withChanged, withSessions } from "./view";

const listed = () => withSessions(EMPTY_LIST, [session({ last_sequence: 5 })]);
const of = (sequence: number, id: string, change: Partial<Session>, agent_id = "main") =>
  withRows({ ...event(sequence, "turn_started", {}, id), agent_id }, { session: change });

test("a session that is new, or beyond the loaded pages, appears with its row", () => {
  const view = withChanged(listed(), of(6, "s_2", { parent_id: "s_1", title: null }));
  expect(view.sessions.s_2).toMatchObject({ status: "idle", parent_id: "s_1", title: null });
});

test("the chats of a bisection's probes are in no list", () => {
  const view = listed();
  expect(withChanged(view, of(6, "s_2", {}, "probe_q_1"))).toBe(view);
});

test("a session is as its newest row says", () => {
  const waiting = happens(8, "waiting", { calls: [] }, { status: "waiting_for_input", title: "Tea" });
  const view = withChanged(listed(), waiting);
  expect(view.sessions.s_1).toMatchObject({ status: "waiting_for_input", title: "Tea", last_sequence: 8 });
});

test("rows from before the session was loaded change nothing", () => {
  const view = listed();
  expect(withChanged(view, happens(4, "failed", { kind: "x", message: "y" }, { status: "error" }))).toBe(
    view,
  );
});

test("rows that show nothing else in the list make no new view", () => {
  const view = listed();
  const spent = happens(6, "waiting", { calls: [] }, { usage: { input: 9, output: 9, tokens: 18 } });
  expect(withChanged(view, spent)).toBe(view);
  expect(withChanged(view, event(7, "turn_started", {}))).toBe(view);
});

test("an older read does not undo newer rows", () => {
  const running = withChanged(listed(), happens(6, "turn_started", {}, { status: "running" }));
  expect(withSessions(running, [session({ last_sequence: 5 })]).sessions.s_1?.status).toBe("running");
  const read = session({ last_sequence: 12, active_at: timeOf(10), updated_at: timeOf(12) });
  expect(withSessions(running, [read]).sessions.s_1?.active_at).toBe(timeOf(10));
});

test("live events follow on from the newest event that the list shows", () => {
  expect(position(withSessions(listed(), [session({ id: "s_2", last_sequence: 40 })]))).toBe(40);
  expect(position(EMPTY_LIST)).toBe(0);
});

test("a chat that was deleted, here or elsewhere, is in the list no more, whatever else comes of it", () => {
  const erased = { kind: "erased", name: "s_1", value: null, version: 1 };
  const mark = { ...event(6, "became_idle", {}), session_id: null, type: "foldline.agent.entity_written.v1" };
  const view = withChanged(listed(), { ...mark, body: erased } as unknown as LogEvent);
  expect(view.sessions).toEqual({});
  expect(withChanged(view, happens(7, "completed", { reason: "archived" }))).toBe(view);
  expect(withSessions(view, [session({ last_sequence: 7 })]).sessions).toEqual({});
});
