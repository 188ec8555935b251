import { expect, test } from "vitest";
import { message, page, session, toolCall } from "../../../testing/given";
import { opened, queuedSince, withEarlier } from "./page";

test("an earlier page goes before what is there, without repeats", () => {
  const newest = opened(session(), page([message(5, "user", "c")], { before: "5", sequence: 9 }));
  const view = withEarlier(
    newest,
    page([message(3, "user", "a"), message(4, "assistant", "b", [toolCall()]), message(5, "user", "c")], {
      before: "3",
    }),
  );
  expect(view.messages.map((one) => one.sequence)).toEqual([3, 4, 5]);
  expect(view.before).toBe("3");
  expect(view.calls["m1-00"]?.tool).toBe("get_state");
});

test("messages of the user at the end may be queued: the events behind them tell", () => {
  const loaded = page([message(4, "assistant", "b"), message(6, "user", "c"), message(7, "user", "d")]);
  expect(queuedSince(loaded)).toBe(5);
  const hidden = page([message(4, "assistant", "b"), { ...message(6, "user", "c"), hidden_by: "9" }]);
  expect([queuedSince(hidden), queuedSince(page())]).toEqual([null, null]);
});

test("messages that the session refused are marked on every page", () => {
  const late = { ...message(6, "user", "late"), refused: "the session is completed" };
  const later = { ...message(8, "user", "later"), refused: "the session is completed" };
  const view = withEarlier(opened(session(), page([later])), page([late]));
  expect(view.refused).toEqual([8, 6]);
});
