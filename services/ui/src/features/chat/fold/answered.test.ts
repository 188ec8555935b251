import { expect, test } from "vitest";
import type { LogEvent } from "../../../lib/wire";
import { answer, event, page, session } from "../../../testing/given";
import { evolve } from "./evolve";
import { opened } from "./page";
import { transcript } from "./transcript";
import type { ChatView } from "./view";

const after = (view: ChatView, ...events: LogEvent[]) => events.reduce(evolve, view);
const SHOW = { kind: "approval", tool: "fetch_url", rule: "It sends something out" };
const FETCH = { call_id: "m1-00", tool: "fetch_url", arguments: { url: "https://a.example/" } };
const REQUEST = { ...FETCH, runs_on: "tools" as const, effect: "external" as const };

/** A call that waits for a yes before it is asked for. */
const WAITS = [
  event(2, "user_message", { text: "Hello" }),
  event(3, "turn_started", {}),
  event(4, "model_call_requested", { call_id: "m1", joins: [2] }),
  event(5, "model_call_completed", answer("m1", "", [FETCH])),
  event(6, "tool_call_pending", { call_id: "m1-00", show: SHOW, runner: "engine" }),
  event(7, "waiting", { calls: ["m1-00"] }),
];
const says = (sequence: number, response: unknown) =>
  event(sequence, "tool_response", { call_id: "m1-00", response });
const fresh = () => opened(session(), page());
const kinds = (view: ChatView) => Object.values(view.calls).map(({ status }) => status);

test("it waits, runs with a yes, and the session runs with it", () => {
  const waiting = after(fresh(), ...WAITS);
  expect(kinds(waiting)).toEqual(["pending"]);
  expect(waiting.session.status).toBe("waiting_for_input");
  const items = transcript({ ...waiting, live: null }, [], null);
  expect(items.some(({ kind }) => kind === "approval")).toBe(true);
  const allowed = after(waiting, says(8, { decision: "once" }));
  expect(kinds(allowed)).toEqual(["planned"]);
  const asked = after(allowed, event(9, "tool_call_requested", REQUEST));
  expect([kinds(asked), asked.session.status]).toEqual([["requested"], "running"]);
  const done = event(10, "tool_call_completed", { call_id: "m1-00", result: 1, runner: "r1" });
  expect(kinds(after(asked, done))).toEqual(["completed"]);
});

test("events that come twice change nothing", () => {
  const all = [...WAITS, says(8, { decision: "session" }), event(9, "tool_call_requested", REQUEST)];
  const once = after(fresh(), ...all);
  expect(after(once, ...all)).toEqual(once);
  const allowed = after(fresh(), ...all.slice(0, -1));
  expect(after(allowed, ...all.slice(0, -1))).toEqual(allowed);
});

test("edited arguments are those that run", () => {
  const edited = { url: "https://b.example/" };
  const view = after(fresh(), ...WAITS, says(8, { decision: "once", arguments: edited }));
  expect(view.calls["m1-00"]?.arguments).toEqual(edited);
});

test("what isn't plainly a yes is a no", () => {
  for (const response of [{ decision: "refuse", reason: "No" }, { decision: "yes" }, null]) {
    const view = after(fresh(), ...WAITS, says(8, response));
    expect(kinds(view)).toEqual(["failed"]);
    expect(view.calls["m1-00"]?.error?.kind).toBe("refused");
  }
});

test("a run that was stopped is over: a yes is for the next one", () => {
  const ran = [
    ...WAITS.slice(0, 4),
    event(6, "tool_call_requested", REQUEST),
    event(7, "tool_call_pending", { call_id: "m1-00", show: SHOW, runner: "r1" }),
  ];
  const view = after(fresh(), ...ran, says(8, { decision: "once" }));
  expect(kinds(view)).toEqual(["failed"]);
  expect(view.calls["m1-00"]?.error?.kind).toBe("approval_needed");
});
