import { expect, test } from "vitest";
import type { LogEvent } from "../../../lib/wire";
import { answer, event, page, session } from "../../../testing/given";
import { evolve } from "./evolve";
import { opened } from "./page";
import { transcript } from "./transcript";
import type { ChatView } from "./view";

const after = (view: ChatView, ...events: LogEvent[]) => events.reduce(evolve, view);
const BOOK = { call_id: "m1-00", tool: "trips__book", arguments: {} };
const REQUEST = { ...BOOK, runs_on: "mcp" as const, effect: "external" as const };
const GIVEN = { action: "submit", data: {} };

const asks = (sequence: number, round: number, kind = "mcp_input") =>
  event(sequence, "tool_call_pending", {
    call_id: "m1-00",
    show: { kind, round, server: "trips", title: "It asks", steps: [] },
    runner: "m_1",
    resume: { round },
  });
const requested = (sequence: number, round: number) =>
  event(sequence, "tool_call_requested", { ...REQUEST, resumed: { since: 6, round } });
const claimed = (sequence: number) => event(sequence, "call_claimed", { call_id: "m1-00", runner: "m_1" });
const says = (sequence: number) => event(sequence, "tool_response", { call_id: "m1-00", response: GIVEN });

const ASKED = [
  event(2, "user_message", { text: "Hello" }),
  event(3, "turn_started", {}),
  event(4, "model_call_requested", { call_id: "m1", joins: [2] }),
  event(5, "model_call_completed", answer("m1", "", [BOOK])),
  event(6, "tool_call_requested", REQUEST),
  claimed(7),
  asks(8, 1),
  event(9, "waiting", { calls: ["m1-00"] }),
];
const ALL = [
  ...ASKED,
  says(10),
  requested(11, 1),
  claimed(12),
  asks(13, 2),
  event(14, "waiting", { calls: ["m1-00"] }),
  says(15),
  requested(16, 2),
  claimed(17),
];
const fresh = () => opened(session(), page());
const stands = (view: ChatView) => view.calls["m1-00"]?.status;
const drawn = (view: ChatView) =>
  transcript({ ...view, live: null }, [], null)
    .map(({ kind }) => kind)
    .filter((kind) => kind === "shown" || kind === "tool");

test("it waits, goes on with the answer, may ask again, and ends by its result", () => {
  let view = after(fresh(), ...ASKED);
  expect([stands(view), drawn(view)]).toEqual(["pending", ["shown"]]);
  view = after(view, says(10));
  expect([stands(view), drawn(view)]).toEqual(["planned", ["tool"]]);
  view = after(view, requested(11, 1));
  expect([stands(view), view.session.status]).toEqual(["requested", "running"]);
  view = after(view, claimed(12), asks(13, 2));
  expect([stands(view), drawn(view)]).toEqual(["pending", ["shown"]]);
  view = after(view, ...ALL.slice(-4));
  expect(stands(view)).toBe("running");
  const done = event(18, "tool_call_completed", { call_id: "m1-00", result: 1, runner: "m_1" });
  view = after(view, done);
  expect([stands(view), view.calls["m1-00"]?.result]).toEqual(["completed", 1]);
  expect(after(view, ...ALL, done)).toEqual(view);
});

test("it ends by an error before it is answered where who held it has stopped, and by no result", () => {
  const held = after(fresh(), ...ASKED);
  const gone = { kind: "upstream" as const, message: "The host stopped." };
  const failed = event(10, "tool_call_failed", { call_id: "m1-00", error: gone, runner: "m_2" });
  const view = after(held, failed);
  expect([stands(view), view.calls["m1-00"]?.error, drawn(view)]).toEqual(["failed", gone, ["tool"]]);
  expect(stands(after(view, says(11)))).toBe("failed");
  const done = event(10, "tool_call_completed", { call_id: "m1-00", result: 1, runner: "m_1" });
  expect(stands(after(held, done))).toBe("pending");
  const asked = event(8, "tool_call_pending", {
    call_id: "m1-00",
    show: { kind: "approval" },
    runner: "m_1",
  });
  expect(stands(after(fresh(), ...ASKED.slice(0, 6), asked, failed))).toBe("pending");
});

test("events that come twice change nothing, wherever it stands", () => {
  for (let to = ASKED.length; to <= ALL.length; to++) {
    const known = ALL.slice(0, to);
    const once = after(fresh(), ...known);
    expect(after(once, ...known)).toEqual(once);
  }
});

test("one that a server works on waits for nobody, and is asked for again by itself", () => {
  const view = after(fresh(), ...ASKED.slice(0, 6), asks(8, 1, "mcp_task"));
  expect([stands(view), drawn(view)]).toEqual(["pending", ["tool"]]);
  expect(stands(after(view, requested(10, 1)))).toBe("requested");
});

test("a run that is held for a yes goes on with the answer, a no as well", () => {
  for (const decision of ["once", "refuse"]) {
    const held = after(fresh(), ...ASKED.slice(0, 6), asks(8, 1, "approval"));
    expect(stands(held)).toBe("pending");
    const answered = event(10, "tool_response", { call_id: "m1-00", response: { decision } });
    expect(stands(after(held, answered))).toBe("planned");
  }
});
