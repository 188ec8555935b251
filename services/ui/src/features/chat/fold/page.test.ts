import { expect, test } from "vitest";
import { placeOf } from "../../../lib/address";
import { rowsOf } from "../../../lib/rows";
import { event, message, page, session, toolCall } from "../../../testing/given";
import { answers, says, withRows } from "../../../testing/rows";
import { opened, withChanged, withEarlier } from "./page";
import { isUnread } from "./view";

test("an earlier page goes before what is there, without repeats", () => {
  const newest = opened(session(), page([message(5, "user", "c")], { next_cursor: "5", sequence: 9 }));
  const view = withEarlier(
    newest,
    page([message(3, "user", "a"), message(4, "assistant", "b", [toolCall()]), message(5, "user", "c")], {
      next_cursor: "3",
    }),
  );
  expect(view.messages.map((one) => one.sequence)).toEqual([3, 4, 5]);
  expect(view.before).toBe("3");
  expect(view.calls["m1-00"]?.tool).toBe("get_state");
});

test("what an event changed takes the place of what was there, once", () => {
  const before = opened(session(), page([message(5, "assistant", "b", [toolCall({ status: "running" })])]));
  const rated = { ...message(5, "assistant", "b", [toolCall()]), rating: "up" as const };
  const event = withRows(says(8, "c"), {
    session: { status: "running", queued: ["8"] },
    messages: [rated, message(8, "user", "c")],
    calls: [toolCall()],
  });
  const after = withChanged(before, event);
  expect(after.messages.map((one) => [one.text, one.rating?.value])).toEqual([
    ["b", "up"],
    ["c", undefined],
  ]);
  expect([after.calls["m1-00"]?.status, after.session.status]).toEqual(["completed", "running"]);
  expect(after.messages.map((one) => isUnread(after, one))).toEqual([false, true]);
  expect(withChanged(after, event)).toBe(after);
});

test("what was said is there before the session's row, which a later event brings", () => {
  const before = opened(session({ status: "running" }), page());
  const said = answers(3, "m1", "Hi");
  const after = withChanged(before, { ...said, rows: rowsOf(said, "messages") });
  expect(after.messages.map(({ text }) => text)).toEqual(["Hi"]);
  expect(after.session).toEqual(before.session);
  const ended = withChanged(after, withRows(event(4, "became_idle", {}), { session: { status: "idle" } }));
  expect([ended.session.status, ended.messages.length]).toEqual(["idle", 1]);
});

test("the events of one record are told each", () => {
  const first = withChanged(
    opened(session(), page()),
    answers(placeOf("5.0"), "m1", "Look", [{ tool: "look" }]),
  );
  const begun = toolCall({ status: "requested", request_address: "5.1" });
  const asked = event(placeOf("5.1"), "waiting", { calls: [] });
  const second = withChanged(first, withRows(asked, { calls: [begun] }));
  expect(first.messages[0]?.sequence).toBe(placeOf("5.0"));
  expect(second.calls["m1-00"]).toMatchObject({ status: "requested", request_address: "5.1" });
});

test("a message from before the first page comes with its own page", () => {
  const view = opened(session(), page([message(5, "assistant", "b")], { next_cursor: "5" }));
  const rated = { ...message(3, "assistant", "a"), rating: "up" as const };
  expect(withChanged(view, withRows(says(8, "c"), { messages: [rated] })).messages).toHaveLength(1);
});

test("what sub-sessions used is what it was, while the session itself uses more", () => {
  const used = { input: 100, output: 0, tokens: 100, cached_input: 0 };
  const view = opened(session({ usage_with_children: used }), page());
  const { usage, usage_with_children } = withChanged(view, answers(3, "m1", "Hi")).session;
  expect([usage.input, usage_with_children?.input]).toEqual([10, 110]);
});

test("messages that the session refused are marked on every page", () => {
  const late = { ...message(6, "user", "late"), refused: "the session is completed" };
  const later = { ...message(8, "user", "later"), refused: "the session is completed" };
  const view = withEarlier(opened(session(), page([later])), page([late]));
  expect(view.messages.map((one) => one.refused)).toEqual([true, true]);
});
