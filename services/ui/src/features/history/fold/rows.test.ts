import { expect, test } from "vitest";
import type { Timeline, TimelineRow } from "../../../lib/wire";
import { begun, isBeyond, rowOf, withNewer, withOlder } from "./list";
import { about, changedWords, happened, isQuiet, momentOf, tone } from "./rows";

const row = (place: number, change: Partial<TimelineRow> = {}): TimelineRow => ({
  address: String(place),
  place,
  sequence: Math.floor(place),
  end: null,
  endPlace: null,
  type: "user_message",
  started_at: null,
  ended_at: null,
  actor: null,
  call_id: null,
  tool: null,
  arguments: null,
  number: null,
  model: null,
  asked: [],
  decision: null,
  rating: null,
  state: null,
  duration_ms: null,
  attempts: null,
  text: "",
  answer: "",
  changed: [],
  problem: null,
  hidden_by: null,
  ...change,
});
const call = (change: Partial<TimelineRow>) =>
  row(4, { type: "tool_call_requested", tool: "web_read", arguments: { url: "https://a.org/b" }, ...change });
const page = (rows: TimelineRow[], before: string | null = null): Timeline => ({
  items: rows,
  next_cursor: before,
  count: 9,
});
const places = (list: ReturnType<typeof begun>) => list.rows.map((one) => one.place);

test("a row begins with what was done", () => {
  expect(happened(call({ state: "done" }))).toBe("Read the page a.org/b");
  expect(happened(row(1, { type: "model_call_requested", state: "done", answer: "Hi" }))).toBe("Answered");
  expect(happened(row(1, { type: "page_turned" }))).toBe("page turned");
  const rated = row(1, { type: "feedback", rating: "down", text: "Wrong city" });
  expect([happened(rated), about(rated)]).toEqual(["You rated an answer as bad", "Wrong city"]);
  expect(happened({ ...rated, rating: null })).toBe("You took back a rating");
  expect(about(row(1, { type: "rewound", text: "12" }))).toBe("to event 12");
  expect(about(call({ answer: "not\n found" }))).toBe("not found");
  expect(about(call({ answer: '{"ok": true}' }))).toBe("");
});

test("a yes that was asked for, and what was said to it, are told with the command", () => {
  const asks = { tool: "run_command", arguments: { command: "date -u" } };
  const pending = row(3, { type: "tool_call_pending", state: "pending", ...asks });
  expect([happened(pending), about(pending), tone(pending)]).toEqual([
    "Asked for your yes: run_command",
    "date -u",
    "pending",
  ]);
  const answer = (decision: string, text = "") => row(4, { type: "tool_response", decision, text, ...asks });
  expect([happened(answer("refuse", "Not now")), about(answer("refuse", "Not now"))]).toEqual([
    "You refused run_command",
    "Not now",
  ]);
  expect([happened(answer("always")), about(answer("always"))]).toEqual([
    "You allowed run_command from now on",
    "date -u",
  ]);
  expect(happened(row(5, { type: "waiting", asked: ["run_command"] }))).toBe("Began to wait for run_command");
});

test("what a call gave is told once", () => {
  const made = call({
    tool: "create_tool",
    arguments: { name: "dice" },
    answer: '{"name": "dice", "version": 1}',
  });
  expect([happened(made), about(made)]).toEqual(["Made the tool dice", ""]);
});

test("a model call names the tools that it asked for, each once, and not too many", () => {
  const model = (asked: string[], answer = "") =>
    happened(row(1, { type: "model_call_requested", state: "done", asked, answer }));
  expect(model(["fetch_url", "set_state"])).toBe("Decided to run fetch_url, set_state");
  expect(model(["fetch_url", "set_state", "fetch_url"])).toBe(
    "Decided to run fetch_url (2 times), set_state",
  );
  expect(model(["a", "b", "c", "d", "e", "f"])).toBe("Decided to run a, b, c, d and 2 more");
  expect(model(["set_state"], "I shall note it.")).toBe("Answered, and decided to run set_state");
});

test("what was said in Markdown is read in a row, in plain words", () => {
  const said = "## Tea\n\n- **Sencha** at [75 °C](https://a.org)\n- `rinse`";
  expect(about(row(1, { text: said }))).toBe("Tea Sencha at 75 °C rinse");
  const answered = row(1, { type: "model_call_requested", state: "done", answer: said });
  expect(about(answered)).toBe("Tea Sencha at 75 °C rinse");
});

test("a row shows no JSON, and each thing that it changed once", () => {
  expect(about(call({ answer: '{"version": 2}' }))).toBe("");
  expect(about(row(1, { type: "child_finished", text: '{"answer": "Rain", "sources": []}' }))).toBe("Rain");
  expect(about(row(1, { type: "child_spawned", text: "[helper] boil" }))).toBe("[helper] boil");
  const thing = (kind: string, name: string) => ({ kind, name }) as TimelineRow["changed"][number];
  const changed = [thing("database", "a"), thing("database", "b"), thing("state", "tea")];
  expect(changedWords(call({ changed }))).toEqual(["Database", "Stored value tea"]);
});

test("a call that failed says that and why", () => {
  const failed = call({
    tool: "set_state",
    arguments: { key: "tea" },
    state: "failed",
    answer: "The disk is full",
  });
  expect([happened(failed), about(failed)]).toEqual(["Failed: set_state: tea", "The disk is full"]);
});

test("each state has one tone, and what is no event is told", () => {
  expect(
    [call({ state: "failed" }), call({ state: "pending" }), call({ state: "running" })].map(tone),
  ).toEqual(["failed", "pending", "running"]);
  const skipped = row(1, { type: "turn_started", problem: "it has no type" });
  expect([tone(skipped), isQuiet(skipped), about(skipped)]).toEqual(["failed", false, "it has no type"]);
  expect(happened(skipped)).toContain("not an event");
});

test("a call is looked at as of its end, and found by either of its events", () => {
  const rows = [row(9), call({ place: 4, endPlace: 7 }), row(2)];
  expect(momentOf(rows[1] as TimelineRow)).toBe(7);
  expect([9, 7, 4, 5, 2].map((place) => rowOf(rows, place))).toEqual([0, 1, 1, 1, 2]);
});

test("older pages follow, newer rows come before, none twice, and calls that ended are told anew", () => {
  const list = withOlder(begun(page([row(9), row(7)], "7")), page([row(7), row(4)], "4"));
  expect(places(list)).toEqual([9, 7, 4]);
  const more = withNewer(list, page([row(12), row(9, { endPlace: 11 }), row(7)], "7"));
  expect(places(more)).toEqual([12, 9, 7, 4]);
  expect(more.rows[1]?.endPlace).toBe(11);
});

test("where a page doesn't reach back, the list begins anew instead of having a hole", () => {
  const list = begun(page([row(4)]));
  expect(places(withNewer(list, page([row(9), row(8)], "8")))).toEqual([9, 8]);
  expect(places(withNewer(list, page([row(9), row(8)])))).toEqual([9, 8, 4]);
});

test("an event that isn't loaded is beyond the list only where there is more", () => {
  const middle = begun(page([row(9), row(7)], "7"), false);
  expect([5, 8, 12].map((place) => isBeyond(middle, place))).toEqual([true, false, true]);
  expect([5, 12].map((place) => isBeyond(begun(page([row(9), row(7)])), place))).toEqual([false, false]);
});
