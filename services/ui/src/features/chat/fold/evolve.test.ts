import { expect, test } from "vitest";
import { addressOf, placeOf } from "../../../lib/address";
import type { LogEvent } from "../../../lib/wire";
import { answer, event, message, page, session, toolCall } from "../../../testing/given";
import { evolve } from "./evolve";
import { opened } from "./page";
import type { ChatView } from "./view";

const ASK = { kind: "ask_user", question: "Which city?", options: ["Oslo", "Bergen"] };

const fresh = () => opened(session(), page());
const after = (view: ChatView, ...events: LogEvent[]) => events.reduce(evolve, view);

const TURN = [
  event(2, "user_message", { text: "Hello" }),
  event(3, "turn_started", {}),
  event(4, "model_call_requested", { call_id: "m1", joins: [2] }),
];

/** A turn up to an open question. */
const ASKED = [
  ...TURN,
  event(5, "model_call_completed", answer("m1", "", [{ call_id: "m1-00", tool: "ask_user" }])),
  event(6, "tool_call_requested", {
    call_id: "m1-00",
    tool: "ask_user",
    arguments: {},
    runs_on: "tools",
    effect: "pure",
  }),
  event(7, "tool_call_pending", { call_id: "m1-00", show: ASK, runner: "r1" }),
  event(8, "waiting", { calls: ["m1-00"] }),
];

test("a message and its answer stand in the order of the log", () => {
  const view = after(
    fresh(),
    ...TURN,
    event(5, "model_call_completed", answer("m1", "Hi!")),
    event(6, "became_idle", {}),
  );
  expect(view.messages.map(({ role, text }) => [role, text])).toEqual([
    ["user", "Hello"],
    ["assistant", "Hi!"],
  ]);
  expect(view.session).toMatchObject({ status: "idle", last_sequence: 6, usage: { input: 10, output: 2 } });
});

test("events that come twice change nothing", () => {
  const all = [...ASKED, event(9, "tool_response", { call_id: "m1-00", response: { answer: "Oslo" } })];
  const once = after(fresh(), ...all);
  expect(after(once, ...all)).toEqual(once);
});

test("how much the model thinks is what was chosen last", () => {
  const high = after(fresh(), event(2, "thinking_changed", { thinking: { effort: "high" } }));
  expect(high.session.thinking).toEqual({ effort: "high" });
  expect(after(high, event(3, "thinking_changed", {})).session.thinking).toBeNull();
});

test("a message waits in the queue until a model call joins it", () => {
  const waiting = after(fresh(), ...TURN, event(5, "user_message", { text: "And this" }));
  expect(waiting.unjoined).toEqual([5]);
  const joined = after(
    waiting,
    event(6, "model_call_completed", answer("m1", "Hi!")),
    event(7, "model_call_requested", { call_id: "m7", joins: [5] }),
  );
  expect(joined.unjoined).toEqual([]);
});

test("a tool call goes from requested over claimed to its result", () => {
  const request = {
    call_id: "m1-00",
    tool: "post",
    arguments: {},
    runs_on: "tools",
    effect: "external",
  } as const;
  const asked = after(
    fresh(),
    ...TURN,
    event(5, "model_call_completed", answer("m1", "", [{ call_id: "m1-00", tool: "post" }])),
  );
  expect(asked.calls["m1-00"]?.status).toBe("planned");
  const claimed = after(
    asked,
    event(6, "tool_call_requested", request),
    event(7, "call_claimed", { call_id: "m1-00", runner: "r1" }),
  );
  expect(claimed.calls["m1-00"]).toMatchObject({ status: "running", request_address: "6", runner: "r1" });
  const done = after(
    claimed,
    event(8, "tool_call_completed", { call_id: "m1-00", result: 1, runner: "r1", duration_ms: 3 }),
  );
  expect(done.calls["m1-00"]).toMatchObject({
    status: "completed",
    result: 1,
    attempt: 1,
    result_address: "8",
  });
});

test("the events of one record are folded each, and once", () => {
  const asked = after(
    fresh(),
    ...TURN,
    event(
      placeOf("5.0"),
      "model_call_completed",
      answer("m1", "Look:", [{ call_id: "m1-00", tool: "look" }]),
    ),
    event(placeOf("5.1"), "tool_call_requested", {
      ...{ call_id: "m1-00", tool: "look", arguments: {}, runs_on: "tools", effect: "pure" },
    }),
  );
  expect(asked.messages.at(-1)?.sequence).toBe(placeOf("5.0"));
  expect(asked.calls["m1-00"]).toMatchObject({ status: "requested", request_address: "5.1" });
  const [failed, over] = [
    event(placeOf("6.0"), "tool_call_completed", {
      call_id: "m1-00",
      result: 1,
      runner: "r1",
      duration_ms: 1,
    }),
    event(placeOf("6.1"), "turn_failed", { kind: "unreachable", message: "no answer" }),
  ];
  const done = after(asked, failed, over, failed, over);
  expect(done.session.failed_turn?.failed_at).toBe(6);
  expect(done.messages.map((one) => addressOf(one.sequence)).slice(-2)).toEqual(["5.0", "6.1"]);
  // A session that was read as of record 6 has all of it.
  const read = { ...done, session: { ...done.session, last_sequence: 6 } };
  expect(evolve(read, over)).toEqual(read);
});

test("of a cancellation and a result the first in the log counts", () => {
  const cancelled = after(
    fresh(),
    ...ASKED.slice(0, 5),
    event(7, "tool_call_cancelled", { call_id: "m1-00" }),
    event(8, "tool_call_completed", { call_id: "m1-00", result: 1, runner: "r1", duration_ms: 3 }),
  );
  expect(cancelled.calls["m1-00"]).toMatchObject({
    status: "cancelled",
    error: { kind: "cancelled" },
    result: null,
  });
});

test("a runner's result does not end a call that waits for the user", () => {
  const view = after(
    fresh(),
    ...ASKED,
    event(9, "tool_call_completed", { call_id: "m1-00", result: 1, runner: "r1", duration_ms: 3 }),
  );
  expect(view.calls["m1-00"]?.status).toBe("pending");
});

test("a call that the model asked for wrongly is over at once", () => {
  const body = answer("m1", "", [{ call_id: "m1-00", tool: "nope" }]);
  body.tool_calls = (body.tool_calls ?? []).map((call) => ({
    ...call,
    error: { kind: "unknown_tool", message: "no such tool" },
  }));
  const view = after(fresh(), ...TURN, event(5, "model_call_completed", body));
  expect(view.calls["m1-00"]).toMatchObject({ status: "failed", error: { kind: "unknown_tool" } });
});

test("the first answer to a question counts", () => {
  const view = after(
    fresh(),
    ...ASKED,
    event(9, "tool_response", { call_id: "m1-00", response: { answer: "Oslo" } }),
    event(10, "tool_response", { call_id: "m1-00", response: { answer: "Bergen" } }),
  );
  expect(view.calls["m1-00"]).toMatchObject({ status: "completed", result: { answer: "Oslo" } });
});

test("a message to a session that waits for one question alone is its answer, and waits for nothing", () => {
  const view = after(fresh(), ...ASKED, event(9, "user_message", { text: "Trondheim" }));
  expect(view.calls["m1-00"]).toMatchObject({
    status: "completed",
    result: { answer: "Trondheim", from_options: false },
  });
  expect(view.messages.at(-1)).toMatchObject({ role: "user", text: "Trondheim" });
  expect(view.unjoined).toEqual([]);
});

test("a message while two questions are open is queued", () => {
  const two = answer("m1", "", [
    { call_id: "m1-00", tool: "ask_user" },
    { call_id: "m1-01", tool: "ask_user" },
  ]);
  const view = after(
    fresh(),
    ...TURN,
    event(5, "model_call_completed", two),
    event(6, "tool_call_pending", { call_id: "m1-00", show: ASK, runner: "r1" }),
    event(7, "tool_call_pending", { call_id: "m1-01", show: ASK, runner: "r1" }),
    event(8, "waiting", { calls: ["m1-00", "m1-01"] }),
    event(9, "user_message", { text: "Hm" }),
  );
  expect(view.unjoined).toEqual([9]);
  expect(view.calls["m1-00"]?.status).toBe("pending");
});

test("a question that nobody answered in time is closed", () => {
  const view = after(
    fresh(),
    ...ASKED,
    event(9, "tool_call_cancelled", { call_id: "m1-00", kind: "expired" }),
  );
  expect(view.calls["m1-00"]).toMatchObject({ status: "cancelled", error: { kind: "expired" } });
});

test("what a sub-session is asked for is a message", () => {
  const view = after(fresh(), event(5, "report_asked", { message: "Report now." }));
  expect(view.messages.at(-1)).toMatchObject({ role: "user", text: "Report now." });
});

test("an answer counts though its request was before the page was opened", () => {
  const view = opened(
    session({ status: "running", last_sequence: 4 }),
    page([message(2, "user", "Hello")], { sequence: 4 }),
  );
  expect(after(view, event(5, "model_call_completed", answer("m1", "Hi!"))).messages).toHaveLength(2);
});

test("a failed session says why", () => {
  const view = after(
    fresh(),
    ...TURN,
    event(5, "model_call_failed", { call_id: "m1", kind: "authentication", message: "bad key", model: "x" }),
    event(6, "failed", { kind: "authentication", message: "bad key" }),
  );
  expect(view.session).toMatchObject({ status: "error", error: { kind: "authentication" } });
  expect(view.messages.at(-1)).toMatchObject({ role: "error", text: "bad key" });
  expect(view.modelCall).toBeNull();
});

test("a message that the ended session refused is marked", () => {
  const ended = after(fresh(), event(2, "completed", { reason: "archived" }));
  const view = after(
    ended,
    event(3, "user_message", { text: "Still there?" }),
    event(4, "input_refused", { input: 3, reason: "ended" }),
  );
  expect(view.refused).toEqual([3]);
  expect(view.unjoined).toEqual([]);
});

test("events that the loaded page already shows make no second message and no second call", () => {
  const call = toolCall({ call_id: "m1-00", status: "completed" });
  const loaded = opened(
    session({ status: "running", last_sequence: 9 }),
    page([message(2, "user", "Hello"), message(5, "assistant", "", [call])], { sequence: 9 }),
  );
  const view = after(loaded, ...ASKED);
  expect(view.messages).toEqual(loaded.messages);
  expect(view.calls).toEqual(loaded.calls);
  expect(view.session).toEqual(loaded.session);
});

test("a session that went on after its limit works again", () => {
  const view = after(
    fresh(),
    event(2, "token_limit_hit", { used: 1200, limit: 1000 }),
    event(3, "continued", { token_limit: 2000 }),
  );
  expect(view.session).toMatchObject({ status: "running", token_limit: 2000 });
});

test("an unknown event moves the view's place in the log and nothing else", () => {
  const unknown = {
    ...event(2, "turn_started", {}),
    type: "foldline.session.from_the_future.v9",
  } as unknown as LogEvent;
  const view = after(fresh(), unknown);
  expect(view.session.last_sequence).toBe(2);
  expect(view.messages).toEqual([]);
});

test("a call that waits for sub-sessions ends by its result", () => {
  const asked = [{ call_id: "m1-00", tool: "wait_for_sessions", runs_on: "engine" as const }];
  const waiting = [
    event(2, "model_call_requested", { call_id: "m1" }),
    event(3, "model_call_completed", answer("m1", "", asked)),
    event(4, "tool_call_pending", { call_id: "m1-00", show: {}, runner: "engine" }),
    event(5, "waiting", { calls: ["m1-00"] }),
  ].reduce(evolve, opened(session(), page()));
  expect(waiting.calls["m1-00"]?.status).toBe("pending");
  const done = event(6, "tool_call_completed", {
    call_id: "m1-00",
    result: {},
    runner: "engine",
    duration_ms: 0,
  });
  expect(evolve(waiting, done).calls["m1-00"]?.status).toBe("completed");
});

test("tokens count for the session and for it with its sub-sessions", () => {
  const used = { input: 100, output: 5, cached_input: 0 };
  const view = opened(session({ status: "running", usage_with_children: used }), page());
  const after = evolve(view, event(3, "model_call_completed", answer("m1", "Hi"))).session;
  expect([after.usage.input, after.usage_with_children?.input]).toEqual([10, 110]);
});

test("a failed turn leaves the session idle until it goes on; Stop stops what would go on by itself", () => {
  const body = { kind: "overloaded", message: "busy", retryable: true, retry_at: "2025-01-06T12:00:35.000Z" };
  const failed = after(
    fresh(),
    ...TURN,
    event(5, "model_call_failed", { call_id: "m1", kind: "overloaded", message: "busy", model: "x" }),
    event(6, "turn_failed", body),
  );
  expect(failed.session).toMatchObject({
    status: "idle",
    error: null,
    failed_turn: { failed_at: 6, ...body },
  });
  expect(failed.messages.at(-1)).toMatchObject({ role: "error", text: "busy" });
  expect(failed.modelCall).toBeNull();
  const stopped = after(failed, event(7, "interrupted", {}));
  expect(stopped.session.failed_turn).toMatchObject({ failed_at: 6, retry_at: null });
  const again = after(stopped, event(8, "retry_asked", {}), event(9, "turn_started", {}));
  expect(again.session).toMatchObject({ status: "running", failed_turn: null });
});

test("an archived chat that is reopened takes messages again", () => {
  const archived = after(fresh(), event(2, "archived", {}), event(3, "completed", { reason: "archived" }));
  const view = after(archived, event(4, "reopened", {}), event(5, "user_message", { text: "back" }));
  expect(view.session.status).toBe("idle");
  expect(view.unjoined).toEqual([5]);
});

test("a reminder that comes late says when it was due", () => {
  const late = "Late: this was due 27 hours ago.";
  const view = after(fresh(), event(2, "reminder_due", { reminder_id: "r_1", message: "Tea!", late }));
  expect(view.messages.map(({ text }) => text)).toEqual([`Tea!\n\n${late}`]);
});

test("a reminder that is only shown waits for nothing", () => {
  const due = { reminder_id: "r_1", message: "Tea!" };
  const told = after(fresh(), event(2, "reminder_due", due));
  expect(told.unjoined).toEqual([2]);
  const shown = after(fresh(), event(2, "reminder_due", { ...due, quiet: true }));
  expect(shown.messages.map(({ text, source }) => [text, source])).toEqual([["Tea!", "reminder"]]);
  expect(shown.unjoined).toEqual([]);
});
