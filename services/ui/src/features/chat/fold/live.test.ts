import { expect, test } from "vitest";
import { message, page, SESSION_ID, session } from "../../../testing/given";
import { answers, asks, rests } from "../../../testing/rows";
import { withAnswer, withDelta } from "./live";
import { opened, withChanged } from "./page";
import type { ChatView } from "./view";

const piece = (index: number, text: string, attempt = 1, call_id = "m1", tool: string | null = null) => ({
  session_id: SESSION_ID,
  call_id,
  attempt,
  index,
  text,
  tool,
});
const working = () => withChanged(opened(session(), page()), asks(2, "m1"));
const streamed = (view: ChatView, ...pieces: ReturnType<typeof piece>[]) => pieces.reduce(withDelta, view);

test("pieces add up", () => {
  expect(streamed(working(), piece(0, "Hel"), piece(1, "lo")).live).toMatchObject({
    text: "Hello",
    gaps: false,
  });
});

test("a piece that comes twice counts once", () => {
  expect(streamed(working(), piece(0, "Hel"), piece(0, "Hel"), piece(1, "lo")).live?.text).toBe("Hello");
});

test("a new attempt drops what earlier ones said", () => {
  const view = streamed(
    working(),
    piece(0, "Hello"),
    piece(0, "Good", 2),
    piece(1, " again", 1),
    piece(1, " day", 2),
  );
  expect(view.live).toMatchObject({ text: "Good day", attempt: 2 });
});

test("how much of the prompt is read is seen until the first piece", () => {
  const read = (percent: number, attempt = 1) => ({ ...piece(0, "", attempt), prompt_read: percent });
  const reading = [read(0), read(40)].reduce(withDelta, working());
  expect(reading.live).toMatchObject({ text: "", promptRead: 40, next: 0, gaps: false });
  expect(withDelta(reading, piece(0, "Hi")).live).toMatchObject({
    text: "Hi",
    promptRead: null,
    gaps: false,
  });
  expect(withDelta(streamed(working(), piece(0, "Hi")), read(100)).live?.promptRead).toBeNull();
  expect(withDelta(reading, read(5, 2)).live).toMatchObject({ attempt: 2, promptRead: 5 });
  const so_far = {
    session_id: SESSION_ID,
    call_id: "m1",
    attempt: 1,
    next: 0,
    text: "",
    tools: [],
    gaps: false,
  };
  expect(withAnswer(working(), { ...so_far, prompt_read: 40 }).live?.promptRead).toBe(40);
});

test("that the model is asked again is seen until the attempt begins", () => {
  const retrying = { attempt: 2, attempts: 6, in_s: 4, reason: "its server failed" };
  const told = { ...piece(0, "", 2), retrying };
  const failed = withDelta(streamed(working(), piece(0, "Hel")), told);
  expect(failed.live).toMatchObject({ text: "", attempt: 2, retrying });
  const begun = withDelta(failed, piece(0, "Good", 2));
  expect(begun.live).toMatchObject({ text: "Good", retrying: null, gaps: false });
  expect(withDelta(begun, told).live).toMatchObject({ text: "Good", retrying: null });
  const joined = withAnswer(working(), {
    session_id: SESSION_ID,
    call_id: "m1",
    attempt: 2,
    next: 0,
    text: "",
    tools: [],
    gaps: false,
    retrying,
  });
  expect(joined.live?.retrying).toEqual(retrying);
  expect(withChanged(failed, answers(3, "m1", "Hi.")).live).toBeNull();
});

test("the recorded message takes the place of the pieces", () => {
  const view = withChanged(streamed(working(), piece(0, "Hel")), answers(3, "m1", "Hello!"));
  expect(view.live).toBeNull();
  expect(view.messages.at(-1)?.text).toBe("Hello!");
});

test("pieces that arrive after the recorded message are dropped", () => {
  const done = withChanged(working(), answers(3, "m1", "Hello!"));
  const idle = withChanged(done, rests(4, { newest_model_call: "m1" }));
  expect(streamed(idle, piece(2, "o!")).live).toBeNull();
});

test("pieces of a call that is no longer the open one are dropped", () => {
  const next = withChanged(working(), asks(5, "m5"));
  expect(streamed(next, piece(0, "late")).live).toBeNull();
});

test("after a reload in mid-answer the rest is shown, and that something is missing", () => {
  const reloaded = opened(session({ status: "running" }), page());
  expect(streamed(reloaded, piece(7, "rest")).live).toMatchObject({ text: " … rest", gaps: true });
});

test("the tools that the model begins to call are named", () => {
  const view = streamed(
    working(),
    piece(0, "", 1, "m1", "set_state"),
    piece(1, "", 1, "m1", "set_state"),
    piece(2, "", 1, "m1", "ask_user"),
  );
  expect(view.live?.tools).toEqual(["set_state", "ask_user"]);
});

test("what streamed until Stop stays in sight until it is a message, and no piece is added", () => {
  const stop = rests(3, { cut_model_call: "m1", newest_model_call: "m1" });
  const stopped = streamed(withChanged(streamed(working(), piece(0, "Hel")), stop), piece(1, "lo"));
  expect(stopped.live?.text).toBe("Hel");
  const said = answers(4, "m1", "Hel", [], { incomplete: "stopped" });
  expect([withChanged(stopped, said).live, withChanged(stopped, said).messages.at(-1)?.text]).toEqual([
    null,
    "Hel",
  ]);
});

test("a piece that overtakes nothing but arrives after the question opens no answer again", () => {
  const asked = withChanged(working(), answers(3, "m1", "Hm", [{ tool: "ask_user" }]));
  expect(streamed(asked, piece(1, "late")).live).toBeNull();
  const reloaded = opened(
    session({ status: "running" }),
    page([{ ...message(3, "assistant", "Hm"), model_call_id: "m1" }]),
  );
  expect(streamed(reloaded, piece(1, "late")).live).toBeNull();
});

test("what came before the page watched is taken over, but nothing older than what is known", () => {
  const so_far = {
    session_id: SESSION_ID,
    call_id: "m1",
    attempt: 1,
    next: 2,
    text: "Hell",
    tools: [],
    gaps: false,
  };
  const view = withAnswer(working(), so_far);
  expect(streamed(view, piece(2, "o")).live).toMatchObject({ text: "Hello", gaps: false });
  expect(withAnswer(streamed(view, piece(2, "o")), so_far).live?.text).toBe("Hello");
  const over = withChanged(view, answers(3, "m1", "Hello"));
  expect(withAnswer(over, so_far).live).toBeNull();
});

test("a fork's own call streams, though a call before the fork had its id", () => {
  const before = { ...message(4, "assistant", "Before"), session_id: "s_0", model_call_id: "m1" };
  const asked = asks(10, "m1");
  const view = withChanged(opened(session({ status: "running" }), page([before])), asked);
  expect(
    withDelta(view, { session_id: SESSION_ID, call_id: "m1", attempt: 1, index: 0, text: "Hi" }).live?.text,
  ).toBe("Hi");
});

test("thinking adds up apart, and text that turns out to be thinking is taken back", () => {
  const turned = { ...piece(1, ""), was_thinking: true, thinking: ", well." };
  const view = streamed(working(), piece(0, "Hmm"), turned, piece(2, "Paris."));
  expect(view.live).toMatchObject({ text: "Paris.", thinking: "Hmm, well." });
});
