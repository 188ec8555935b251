import { afterEach, expect, test, vi } from "vitest";
import { Problem, Unreachable } from "../../../lib/problems";
import type { InputReceipt, LogEvent, Message, Session } from "../../../lib/wire";
import { event, message, page, SESSION_ID, said, session, toolCall } from "../../../testing/given";
import { liveByHand } from "../../../testing/liveEvents";
import { answers, asks, besidesTheSession, rests, says } from "../../../testing/rows";
import { type OpenChat, openChat } from "./openChat";
import type { ChatRequests } from "./requests";

const SHOW = { kind: "ask_user", question: "Which?", options: ["A", "B"] };
const PENDING = toolCall({
  tool: "ask_user",
  status: "pending",
  show: SHOW,
  result: null,
  finished_at: null,
});

/** What a chat loads when it opens. */
const loaded = (messages: Message[], change: Partial<Session> = {}) => ({
  ...page(messages, { sequence: 20 }),
  session: session({ last_sequence: 9, ...change }),
});

/** A gateway that answers as told and live events that the test writes. */
function world(overrides: Partial<ChatRequests> = {}) {
  let sequence = 100;
  const accept = async (): Promise<InputReceipt> => ({ event_id: `e_${++sequence}`, sequence });
  const requests: ChatRequests = {
    session: vi.fn(async () => session({ last_sequence: 9 })),
    newest: vi.fn(async () => loaded([message(5, "assistant", "Hi")])),
    earlier: vi.fn(async () => page()),
    find: vi.fn(async () => ({ items: [], next_cursor: null })),
    call: vi.fn(async () => PENDING),
    send: vi.fn(accept),
    answer: vi.fn(accept),
    interrupt: vi.fn(accept),
    retry: vi.fn(accept),
    archive: vi.fn(accept),
    reopen: vi.fn(accept),
    continueWith: vi.fn(accept),
    rename: vi.fn(accept),
    think: vi.fn(accept),
    ...overrides,
  };
  const { live, heard } = liveByHand();
  let keys = 0;
  const ports = {
    requests,
    live,
    retrying: <T>(action: () => Promise<T>) => action(),
    newKey: () => `key-${++keys}`,
  };
  return {
    requests,
    heard,
    hears: (event: LogEvent) => heard().listener.onEvent(event),
    open: (minSequence?: number) => opening(openChat(SESSION_ID, minSequence, ports)),
  };
}

let current: OpenChat | null = null;
async function opening(chat: OpenChat) {
  current = chat;
  await vi.waitFor(() => expect(chat.get().view ?? chat.get().failure).not.toBeNull());
  return chat;
}
afterEach(() => current?.close());

test("it shows the newest page and follows on from what both reads include", async () => {
  const { hears, heard, requests, open } = world();
  const chat = await open(7);
  expect(requests.newest).toHaveBeenCalledWith(7);
  expect(chat.get().view?.messages.map((one) => one.text)).toEqual(["Hi"]);
  expect(heard()).toMatchObject({
    wish: { sessionId: SESSION_ID, watch: [SESSION_ID] },
    following: { after: 20 },
  });
  hears(says(10, "New"));
  expect(chat.get().view?.messages.map((one) => one.text)).toEqual(["Hi", "New"]);
});

test("a message that was accepted is shown once, whichever event first tells of it", async () => {
  const { hears, open } = world();
  const chat = await open();
  chat.send(said("New"));
  await vi.waitFor(() => expect(chat.get().outbox[0]?.state).toBe("accepted"));
  const late = says(101, "New");
  hears({ ...late, rows: [] });
  expect(chat.get().outbox).toHaveLength(1);
  hears({ ...rests(102), rows: besidesTheSession(late) });
  expect(chat.get().outbox).toEqual([]);
  expect(chat.get().view?.messages.map((one) => one.text)).toEqual(["Hi", "New"]);
});

test("a stop that could not be sent says that it was the stop that failed", async () => {
  const interrupt = vi.fn(async () => {
    throw new Problem(503, "unavailable", "The connection to NATS broke.");
  });
  const chat = await world({ interrupt }).open();
  await chat.stop();
  expect(chat.get()).toMatchObject({
    stopping: false,
    notice: "Stopping failed: The connection to NATS broke.",
  });
});

test("where the gateway can't tell what an event changed, the session is read again", async () => {
  const { hears, requests, open } = world();
  await open();
  hears({ ...says(10, "New"), rows: null });
  await vi.waitFor(() => expect(requests.newest).toHaveBeenCalledTimes(2));
  expect(requests.newest).toHaveBeenLastCalledWith(10);
});

test("why a chat can't be opened is told, and it can be tried again", async () => {
  const failures = [new Problem(404, "not_found", "no such session")];
  const { open } = world({
    newest: async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return loaded([]);
    },
  });
  const chat = await open();
  expect(chat.get().failure).toEqual({ kind: "not_found", message: "no such session", passes: false });
  chat.reload();
  await vi.waitFor(() => expect(chat.get().view).not.toBeNull());
  expect(chat.get().failure).toBeNull();
});

test("a chat that can't be opened because nothing answers opens by itself once something does", async () => {
  const failures = [new Problem(503, "unavailable", "starting")];
  const { open } = world({
    newest: async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return loaded([]);
    },
  });
  const chat = await open();
  expect(chat.get().failure?.passes).toBe(true);
  window.dispatchEvent(new Event("online"));
  await vi.waitFor(() => expect(chat.get().view).not.toBeNull());
  expect(chat.get().failure).toBeNull();
});

test("a message is shown at once, and handed over to the log's own when that comes", async () => {
  const { hears, open } = world();
  const chat = await open();
  chat.send(said("Hello"));
  expect(chat.get().outbox).toMatchObject([{ text: "Hello", state: "sending" }]);
  await vi.waitFor(() => expect(chat.get().outbox).toMatchObject([{ state: "accepted", sequence: 101 }]));
  hears(says(101, "Hello"));
  expect(chat.get().outbox).toEqual([]);
  expect(chat.get().view?.messages.at(-1)?.text).toBe("Hello");
});

test("a message whose event overtakes the answer leaves nothing behind", async () => {
  let acceptNow: (accepted: InputReceipt) => void = () => {};
  const accepted = new Promise<InputReceipt>((resolve) => {
    acceptNow = resolve;
  });
  const { hears, open } = world({ send: () => accepted });
  const chat = await open();
  chat.send(said("Hello"));
  await Promise.resolve();
  hears(says(101, "Hello"));
  acceptNow({ event_id: "e_101", sequence: 101 });
  await vi.waitFor(() => expect(chat.get().outbox).toEqual([]));
});

test("a retry goes under the same key, so it never makes a second message", async () => {
  const failures: unknown[] = [new Unreachable("cut")];
  const send = vi.fn(async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return { event_id: "e", sequence: 101 };
  });
  const { open } = world({ send });
  const chat = await open();
  chat.send(said("Hello"));
  await vi.waitFor(() => expect(chat.get().outbox[0]?.state).toBe("failed"));
  chat.retry("key-1");
  await vi.waitFor(() => expect(chat.get().outbox[0]?.state).toBe("accepted"));
  expect(send.mock.calls).toEqual([
    [expect.objectContaining(said("Hello")), "key-1"],
    [expect.objectContaining(said("Hello")), "key-1"],
  ]);
});

test("a message that was on its way survives a reload, and is sent under its key", async () => {
  const never = world({ send: () => new Promise(() => {}) });
  (await never.open()).send(said("Hello"));
  const { requests, open } = world();
  const chat = await open();
  expect(chat.get().outbox).toMatchObject([{ text: "Hello", key: "key-1" }]);
  await vi.waitFor(() =>
    expect(requests.send).toHaveBeenCalledWith(expect.objectContaining(said("Hello")), "key-1"),
  );
});

test("a message that met a closed door goes by itself after the login", async () => {
  const refuse = vi.fn(async () => Promise.reject(new Problem(401, "unauthorized", "You are logged out.")));
  (await world({ send: refuse }).open()).send(said("Hello"));
  await vi.waitFor(() => expect(refuse).toHaveBeenCalled());
  const chat = await world().open();
  await vi.waitFor(() => expect(chat.get().outbox).toMatchObject([{ state: "accepted", key: "key-1" }]));
});

test("a message can be discarded for good", async () => {
  const { open } = world({
    send: async () => Promise.reject(new Problem(409, "session_closed", "It has ended.")),
  });
  const chat = await open();
  chat.send(said("Hello"));
  await vi.waitFor(() =>
    expect(chat.get().outbox[0]).toMatchObject({ state: "failed", problem: "It has ended." }),
  );
  chat.discard("key-1");
  expect(chat.get().outbox).toEqual([]);
  expect(Object.keys(sessionStorage)).toEqual([]);
});

test("an answer is sent once, however often the button is pressed", async () => {
  const { requests, open } = world({
    newest: async () => loaded([message(5, "assistant", "", [PENDING])]),
  });
  const chat = await open();
  const given = { answer: "A", from_options: true };
  await Promise.all([chat.answer(PENDING.call_id, given), chat.answer(PENDING.call_id, given)]);
  expect(requests.answer).toHaveBeenCalledTimes(1);
  expect(chat.get().answering[PENDING.call_id]?.state).toBe("accepted");
});

test("a question answered elsewhere shows that answer", async () => {
  const elsewhere = toolCall({ ...PENDING, status: "completed", result: { answer: "B" } });
  const { open } = world({
    newest: async () => loaded([message(5, "assistant", "", [PENDING])]),
    answer: async () => Promise.reject(new Problem(409, "already_answered", "too late")),
    call: async () => elsewhere,
  });
  const chat = await open();
  await chat.answer(PENDING.call_id, { answer: "A", from_options: true });
  expect(chat.get().view?.calls[PENDING.call_id]).toMatchObject({
    status: "completed",
    result: { answer: "B" },
  });
});

test("an answer that did not get through can be given again", async () => {
  const { open } = world({ answer: async () => Promise.reject(new Unreachable("cut")) });
  const chat = await open();
  await chat.answer("m1-00", { answer: "A", from_options: true });
  expect(chat.get().answering["m1-00"]?.state).toBe("failed");
});

test("Stop is on its way until the session is idle", async () => {
  const { hears, open } = world({ newest: async () => loaded([], { status: "running" }) });
  const chat = await open();
  await chat.stop();
  expect(chat.get().stopping).toBe(true);
  hears(rests(30));
  expect(chat.get().stopping).toBe(false);
});

test("a command that fails says so", async () => {
  const { open } = world({
    rename: async () => Promise.reject(new Problem(400, "bad_text", "That is no title.")),
  });
  const chat = await open();
  await chat.rename("\0");
  expect(chat.get().notice).toBe("Renaming failed: That is no title.");
});

test("earlier pages are loaded once each, until there are none", async () => {
  const earlier = vi.fn(async () =>
    page([message(3, "assistant", "b")], { next_cursor: null, sequence: 20 }),
  );
  const { open } = world({
    newest: async () => ({ ...loaded([message(5, "assistant", "c")]), next_cursor: "5" }),
    earlier,
  });
  const chat = await open();
  await Promise.all([chat.loadEarlier(), chat.loadEarlier()]);
  await chat.loadEarlier();
  expect(earlier).toHaveBeenCalledTimes(1);
  expect(chat.get().view?.messages.map((one) => one.text)).toEqual(["b", "c"]);
});

test("pieces of an answer show until the message is recorded", async () => {
  const { hears, heard, open } = world();
  const chat = await open();
  hears(asks(10, "m1"));
  heard().listener.onDelta?.({ session_id: SESSION_ID, call_id: "m1", attempt: 1, index: 0, text: "He" });
  expect(chat.get().view?.live?.text).toBe("He");
  hears(answers(11, "m1", "Hello"));
  expect(chat.get().view?.live).toBeNull();
});

test("a closed chat lets its stream go", async () => {
  const { heard, open } = world();
  (await open()).close();
  expect(heard().closed).toBe(true);
});

test("a chat opened in mid-answer gets what came before, and goes on from there", async () => {
  const { heard, open } = world({ newest: async () => loaded([], { status: "running" }) });
  const chat = await open();
  const so_far = {
    session_id: SESSION_ID,
    call_id: "m1",
    attempt: 1,
    next: 3,
    text: "Hel",
    tools: [],
    gaps: false,
  };
  heard().listener.onAnswer?.(so_far);
  heard().listener.onDelta?.({ session_id: SESSION_ID, call_id: "m1", attempt: 1, index: 3, text: "lo" });
  expect(chat.get().view?.live).toMatchObject({ text: "Hello", gaps: false });
});

test("after a rewind the history is read anew, once", async () => {
  const newest = vi.fn(async () => loaded([message(5, "assistant", "Hi")]));
  const { hears, open } = world({ newest });
  const chat = await open();
  newest.mockImplementation(async () =>
    loaded([{ ...message(5, "assistant", "Hi"), hidden_by: "12" }], { last_sequence: 12 }),
  );
  hears(event(12, "rewound", { to: 3, requested: 11 }));
  await vi.waitFor(() => expect(chat.get().view?.messages[0]?.hiddenBy).toBe(12));
  expect(newest).toHaveBeenLastCalledWith(12);
  hears(event(12, "rewound", { to: 3, requested: 11 }));
  expect(newest).toHaveBeenCalledTimes(2);
});

test("a sub-session that ends is read for what it used", async () => {
  const child = {
    id: "s_2",
    title: "Helper",
    status: "completed" as const,
    call_id: "m1-00",
    usage: { input: 5, output: 1, tokens: 6 },
  };
  const { hears, requests, open } = world({ session: vi.fn(async () => session({ children: [child] })) });
  const chat = await open();
  hears(
    event(12, "child_finished", {
      child_id: "s_2",
      status: "completed",
      tokens: 6,
      at: 11,
    }),
  );
  await vi.waitFor(() => expect(chat.get().view?.session.children).toEqual([child]));
  expect(requests.session).toHaveBeenCalledWith(12);
});
