import { expect, test } from "vitest";
import { placeOf } from "../../../lib/address";
import { event } from "../../../testing/given";
import { withRows } from "../../../testing/rows";
import { type AttentionView, arrived, changedBy, count, type InboxWake, type WaitingThing } from "./view";
import { aboutOf, placeOf as hrefOf, leftBy, notice, whatItIs } from "./words";

function thing(change: Partial<WaitingThing> = {}): WaitingThing {
  return {
    key: "call:s_1:c_1",
    kind: "question",
    agent_id: "default",
    session_id: "s_1",
    title: "Trip",
    call_id: "c_1",
    tool: "ask_user",
    text: "Which city?",
    started_at: "2026-01-31T12:00:00.000Z",
    ...change,
  };
}

function wake(change: Partial<InboxWake> = {}): InboxWake {
  return {
    id: "w_1",
    agent_id: "default",
    source: "shop",
    wake_id: "1",
    wake_type: "order",
    priority: "later",
    message: "An order came in",
    data: null,
    received_at: "2026-01-31T12:00:00.000Z",
    expires_at: "2026-03-01T12:00:00.000Z",
    session_id: null,
    ...change,
  };
}

function view(things: WaitingThing[], wakes: InboxWake[] = []): AttentionView {
  return { things, total: things.length, wakes, wakesTotal: wakes.length };
}

test("both sorts are counted", () => {
  expect(count(view([thing()], [wake(), wake({ id: "w_2" })]))).toBe(3);
});

test("only what was not there before has arrived", () => {
  const before = view([thing()], [wake()]);
  const now = view([thing({ key: "limit:s_2" }), thing()], [wake({ id: "w_2" })]);
  expect(arrived(before, now).things.map(({ key }) => key)).toEqual(["limit:s_2"]);
  expect(arrived(before, now).wakes.map(({ id }) => id)).toEqual(["w_2"]);
  expect(arrived(now, now)).toEqual({ things: [], wakes: [] });
});

test("a tool in quarantine is mended in the studio, all else in its chat", () => {
  expect(hrefOf(thing())).toBe("#/s/s_1");
  expect(hrefOf(thing({ kind: "quarantine", tool: "sum" }))).toBe("#/studio/default/tools/sum");
});

test("each says what it is", () => {
  expect(whatItIs(thing())).toBe("Asks you");
  expect(whatItIs(thing({ kind: "late", tool: null }))).toBe("Arrived late");
  const shown = thing({ kind: "call", tool: "render_blocks" });
  expect(whatItIs(shown)).toBe("Waiting for your answer to what it shows");
  expect(whatItIs(thing({ kind: "call", tool: "render_and_wait" }))).toContain("on a page");
  expect(whatItIs(thing({ kind: "call", tool: "browser_hand_over" }))).toContain("take over its browser");
  expect(whatItIs(thing({ kind: "call", tool: "sign_off" }))).toBe("Waits for you: sign_off");
  expect(whatItIs(thing({ kind: "outcome", tool: "send_mail" }))).toBe("Unknown outcome: send_mail");
  expect(aboutOf(thing({ kind: "limit", text: "12 of 10" }))).toBe(
    "It used 12 of 10 tokens. Raise the limit to continue.",
  );
  expect(leftBy(wake())).toBe("shop (order)");
  expect(leftBy(wake({ wake_type: null }))).toBe("shop");
});

test("a notice tells of one thing by its words, of several by their number", () => {
  expect(notice([thing()], [])).toEqual({ title: "Trip", body: "Asks you\nWhich city?" });
  expect(notice([], [wake()]).title).toBe("shop (order) left a message");
  expect(notice([thing()], [wake()]).body).toBe("2 things wait for you");
});

test("a session's row says as of when it is to be read again, and where nobody knows it is", () => {
  const asked = event(6, "model_call_requested", { call_id: "m_1" });
  expect(changedBy(asked)).toBe(null);
  expect(changedBy(withRows(asked, { session: {} }))).toBe(null);
  expect(changedBy(withRows(asked, { session: { attention: "5" } }))).toBe(placeOf("5"));
  expect(changedBy({ ...asked, rows: null })).toBe(asked.sequence);
});
