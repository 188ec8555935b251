/** What becomes of a model's answer: whole, cut off, empty, or a summary. */
import { expect, test } from "vitest";
import type { LogEvent } from "../../../lib/wire";
import { answer, event, message, page, session } from "../../../testing/given";
import { evolve } from "./evolve";
import { opened } from "./page";
import type { ChatView } from "./view";

const fresh = () => opened(session(), page());
const after = (view: ChatView, ...events: LogEvent[]) => events.reduce(evolve, view);

const TURN = [
  event(2, "user_message", { text: "Hello" }),
  event(3, "turn_started", {}),
  event(4, "model_call_requested", { call_id: "m1", joins: [2] }),
];
const STOP = [
  event(5, "interrupted", {}),
  event(6, "became_idle", { reason: "interrupted", cancelled_model_call: "m1" }),
];
const cut = (text: string) => ({ ...answer("m1", text), cut: "stopped" as const, finish_reason: null });

test("what was said before Stop becomes a message, and counts", () => {
  const view = after(fresh(), ...TURN, ...STOP, event(7, "model_call_completed", cut("Once upon")));
  expect(view.messages.map((one) => [one.text, one.incomplete])).toEqual([
    ["Hello", null],
    ["Once upon", "stopped"],
  ]);
  expect(view.session).toMatchObject({ status: "idle", usage: { input: 10, output: 2 } });
  expect([view.cutCall, view.live]).toEqual([null, null]);
});

test("it becomes one also where the page was opened after Stop, and a new turn has begun", () => {
  const view = opened(session({ status: "running" }), page([message(2, "user", "Hello")], { sequence: 6 }));
  const said = after(view, event(8, "model_call_completed", cut("Once upon")));
  expect(said.messages.map((one) => one.text)).toEqual(["Hello", "Once upon"]);
});

test("an answer that crossed the Stop is kept, and no call of it runs", () => {
  const whole = answer("m1", "I'll look.", [{ call_id: "m1-00", tool: "look" }]);
  const view = after(fresh(), ...TURN, ...STOP, event(7, "model_call_completed", whole));
  expect(view.messages.at(-1)).toMatchObject({ text: "I'll look.", incomplete: "stopped" });
  expect(view.calls["m1-00"]).toMatchObject({ status: "failed", error: { kind: "cancelled" } });
});

test("a call that was stopped before it said anything leaves no message", () => {
  const view = after(fresh(), ...TURN, ...STOP, event(7, "model_call_completed", cut(" ")));
  expect(view.messages).toHaveLength(1);
  expect(view.cutCall).toBeNull();
});

test.each(["length", "content_filter"] as const)("an answer that ended by %s says so", (finish_reason) => {
  const view = after(
    fresh(),
    ...TURN,
    event(5, "model_call_completed", { ...answer("m1", "Half"), finish_reason }),
  );
  expect(view.messages.at(-1)?.incomplete).toBe(finish_reason);
});

test("an answer that its server broke off says what the server said", () => {
  const body = { ...answer("m1", "Half"), cut: "failed" as const, finish_reason: null, cut_words: "Gone." };
  const view = after(fresh(), ...TURN, event(5, "model_call_completed", body));
  expect(view.messages.at(-1)).toMatchObject({ incomplete: "failed", cutWords: "Gone." });
  expect(view.session).toMatchObject({ usage: { input: 10, output: 2 } });
});

test("an empty answer is one", () => {
  const view = after(fresh(), ...TURN, event(5, "model_call_completed", answer("m1", "")));
  expect(view.messages.at(-1)).toMatchObject({ text: "", incomplete: "empty" });
});

test("a summary is no answer, also where its request was before the page was opened", () => {
  const view = opened(
    session({ status: "running", last_sequence: 4 }),
    page([message(2, "user", "Hello")], { sequence: 4 }),
  );
  const summary = { ...answer("m9", "The user said hello."), purpose: "summary" as const };
  expect(after(view, event(5, "model_call_completed", summary)).messages).toHaveLength(1);
});
