import { expect, test } from "vitest";
import type { LogEvent } from "../../../lib/wire";
import { message, page, said, session, toolCall } from "../../../testing/given";
import { answers, asks, rests, says, TURN } from "../../../testing/rows";
import { withDelta } from "./live";
import { outgoing } from "./outbox";
import { opened, withChanged } from "./page";
import { transcript } from "./transcript";

const after = (...events: LogEvent[]) => events.reduce(withChanged, opened(session(), page()));
const kinds = (view: Parameters<typeof transcript>[0], outbox = [] as Parameters<typeof transcript>[1]) =>
  transcript(view, outbox).map((item) => item.kind);

test("while the model has said nothing yet, it is thinking", () => {
  expect(kinds(after(...TURN))).toEqual(["day", "user", "thinking"]);
});

test("a message that just came is not called queued: nothing is before it", () => {
  const [first] = transcript(after(...TURN.slice(0, 2)), []).filter((item) => item.kind === "user");
  expect(first).toMatchObject({ note: null });
});

test("queued messages stand at the end, then those being sent", () => {
  const view = after(...TURN, says(5, "And", { open_model_call: "m1", newest_model_call: "m1" }));
  const items = transcript(view, [outgoing("k1", said("More"), 5, 0)]);
  expect(items.map((item) => item.kind)).toEqual(["day", "user", "thinking", "user", "outgoing"]);
  expect(items[3]).toMatchObject({ note: "queued" });
});

test("tool calls follow the message that asked for them; one without text leaves no empty bubble", () => {
  const view = after(...TURN, answers(5, "m1", "", [{ tool: "get_state" }]));
  expect(kinds(view)).toEqual(["day", "user", "tool"]);
});

test("that a model takes no tools is told once, before its first answer without them", () => {
  const adapted = { adapted: ["no_tools"] };
  const view = after(
    ...TURN,
    answers(5, "m1", "Well.", [], adapted),
    rests(6),
    says(7, "And?"),
    asks(9, "m2"),
    answers(10, "m2", "Still.", [], adapted),
  );
  expect(kinds(view).slice(0, 5)).toEqual(["day", "user", "adapted", "assistant", "user"]);
  expect(kinds(view).filter((kind) => kind === "adapted")).toHaveLength(1);
});

test("a chat marks an answer by another model than the first of its chain, and not one by another key", () => {
  const why = { server: "openai", kind: "overloaded" as const, message: "its server failed (503)" };
  const failed = { ...why, key: 0, keys: 0 };
  const other = after(
    ...TURN,
    answers(5, "m1", "Well.", [], { model: "openai/b", tried: [{ model: "openai/a", ...failed }] }),
  );
  expect(transcript(other, [])[2]).toMatchObject({ kind: "stoodIn", model: "openai/b" });
  const key = { model: "openai/a", ...failed, key: 1, keys: 2 };
  const same = after(...TURN, answers(5, "m1", "Well.", [], { model: "openai/a", tried: [key] }));
  expect(kinds(same).slice(0, 3)).toEqual(["day", "user", "assistant"]);
});

test("send_message is shown as what the agent says", () => {
  const calls = [{ tool: "send_message", arguments: { text: "Half way" } }];
  const view = after(...TURN, answers(5, "m1", "", calls));
  expect(transcript(view, []).at(-1)).toMatchObject({ kind: "said", text: "Half way" });
});

test("a send_message that failed is shown as the failed call", () => {
  const call = toolCall({
    tool: "send_message",
    arguments: { text: "x" },
    status: "failed",
    error: { kind: "internal", message: "no", path: null, retryable: false },
  });
  expect(kinds(opened(session(), page([message(2, "assistant", "", [call])])))).toEqual(["day", "tool"]);
});

test("a pending question is shown as one, before and after it is answered", () => {
  const show = { kind: "ask_user", question: "Which?", options: null };
  for (const status of ["pending", "completed"] as const) {
    const view = opened(
      session(),
      page([message(2, "assistant", "", [toolCall({ tool: "ask_user", show, status })])]),
    );
    expect(kinds(view)).toEqual(["day", "question"]);
  }
});

test("a turn that was stopped says so, until the user goes on", () => {
  const stopped = after(...TURN, rests(6));
  expect(kinds(stopped)).toEqual(["day", "user", "stopped"]);
  expect(kinds(withChanged(stopped, says(7, "Again")))).toEqual(["day", "user", "user", "thinking"]);
});

test("keys are unique and stay the same as the chat grows", () => {
  const view = after(...TURN, answers(5, "m1", "Hi", [{ tool: "a" }]));
  const before = transcript(view, []).map((item) => item.key);
  const grown = transcript(withChanged(view, says(6, "Next")), []).map((item) => item.key);
  expect(new Set(grown).size).toBe(grown.length);
  expect(grown.slice(0, before.length)).toEqual(before);
});

test("of a long thinking it is known where all of it is", () => {
  const thinking = {
    text: "begins […] ends",
    whole: { sha256: "0", size: 40_000, media_type: "text/plain" },
  };
  const view = after(...TURN, answers(5, "m1", "Paris.", [], { thinking }));
  const whole = { sessionId: view.session.id, answer: view.messages.at(-1)?.sequence, size: 40_000 };
  expect(transcript(view, [])[2]).toMatchObject({ kind: "thought", whole });
});

test("what the model thought stands before its answer, and before one that is being written", () => {
  const view = after(...TURN, answers(5, "m1", "Paris.", [], { thinking: { text: "hidden" } }));
  expect(transcript(view, []).slice(2, 4)).toMatchObject([
    { kind: "thought", text: "hidden", growing: false, whole: null },
    { kind: "assistant", message: { text: "Paris." } },
  ]);
  const piece = {
    session_id: view.session.id,
    call_id: "m1",
    attempt: 1,
    index: 0,
    text: "",
    thinking: "hid",
  };
  const thinks = withDelta(after(...TURN), piece);
  expect(transcript(thinks, []).slice(2)).toMatchObject([
    { kind: "thought", text: "hid", growing: true },
    { kind: "live" },
  ]);
});
