import { beforeEach, expect, test, vi } from "vitest";
import { openAppHost } from "./appHost";

const CALL = { arguments: { city: "Oslo" }, result: { content: [{ type: "text", text: "4 °C" }] } };
const posted: { id?: number; method?: string; params?: object; result?: object; error?: { code: number } }[] =
  [];
const events = {
  onHeight: vi.fn(),
  onSay: vi.fn(async () => {}),
  onOpen: vi.fn(async () => {}),
  onCall: vi.fn(async () => ({ content: [] })),
  onRead: vi.fn(async () => ({ contents: [] })),
  onOutlaw: vi.fn(),
};

function host() {
  return openAppHost(
    CALL,
    "dark",
    (message) => posted.push(message),
    events,
    () => 0,
  );
}

const request = (id: number, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params });
const notice = (method: string, params: object = {}) => ({ jsonrpc: "2.0", method, params });

beforeEach(() => {
  posted.length = 0;
  vi.clearAllMocks();
});

test("an app is told nothing before it is ready, then its arguments and its result, once", async () => {
  const app = host();
  app.receive(request(1, "ui/initialize"));
  await vi.waitFor(() => expect(posted).toHaveLength(1));
  expect(posted[0]).toMatchObject({ id: 1, result: { hostContext: { theme: "dark" } } });
  app.theme("light");
  expect(posted).toHaveLength(1);
  app.receive(notice("ui/notifications/initialized"));
  app.receive(notice("ui/notifications/initialized"));
  app.theme("dark");
  expect(posted.slice(1).map(({ method }) => method)).toEqual([
    "ui/notifications/tool-input",
    "ui/notifications/tool-result",
    "ui/notifications/host-context-changed",
  ]);
  expect(posted[1]?.params).toEqual({ arguments: { city: "Oslo" } });
});

test("it can't list resources, and what it wants to say or open is a person's to decide", async () => {
  const app = host();
  app.receive(request(1, "tools/call", { name: "wipe", arguments: "all" }));
  app.receive(request(2, "resources/list", { uri: "book://short" }));
  app.receive(request(3, "ui/message", { role: "user", content: { type: "text", text: "Go on." } }));
  app.receive(request(4, "ui/open-link", { url: "https://a.test/x" }));
  app.receive(request(5, "ui/open-link", { url: "javascript:alert(1)" }));
  app.receive(request(6, "ui/message", { role: "user", content: [{ type: "image", data: "" }] }));
  await vi.waitFor(() => expect(posted).toHaveLength(6));
  const codes = Object.fromEntries(posted.map(({ id, error }) => [id, error?.code]));
  expect(codes).toEqual({ 1: -32602, 2: -32601, 3: undefined, 4: undefined, 5: -32000, 6: -32000 });
  expect(events.onSay.mock.calls).toEqual([["Go on."]]);
  expect(events.onOpen).toHaveBeenCalledOnce();
});

test("a flood, a message of ten megabytes and one that is no data stop it, and nothing is answered then", async () => {
  for (const bad of ["x".repeat(10_000_000), { jsonrpc: "2.0", method: "ping", id: 1n }]) {
    const app = host();
    app.receive(bad);
    expect(events.onOutlaw).toHaveBeenLastCalledWith("It sent a message that is too large.");
    app.receive(request(1, "ping"));
  }
  const app = host();
  for (let count = 0; count < 250; count++)
    app.receive(notice("ui/notifications/size-changed", { height: count }));
  expect(events.onOutlaw).toHaveBeenLastCalledWith("It sent too many messages.");
  expect(events.onOutlaw).toHaveBeenCalledTimes(3);
  await Promise.resolve();
  expect(posted).toEqual([]);
});

test("what isn't a message of the protocol is passed over", () => {
  const app = host();
  for (const odd of [null, "hello", [], { method: "ping", id: 1 }, { ...request(1, "ping"), params: "x" }])
    app.receive(odd);
  expect(posted).toEqual([]);
  expect(events.onOutlaw).not.toHaveBeenCalled();
});

test("its calls of tools go on to whoever judges them, up to sixty in a minute: one more stops it", async () => {
  const app = host();
  app.receive(request(0, "ui/initialize"));
  await vi.waitFor(() =>
    expect(posted[0]).toMatchObject({ result: { hostCapabilities: { serverTools: {} } } }),
  );
  events.onCall.mockRejectedValueOnce(new Error("The policy doesn't allow it."));
  for (let id = 1; id <= 61; id++) app.receive(request(id, "tools/call", { name: "add", arguments: { id } }));
  await vi.waitFor(() => expect(events.onOutlaw).toHaveBeenCalledOnce());
  expect(events.onOutlaw).toHaveBeenCalledWith("It called tools more than 60 times in a minute.");
  expect(events.onCall).toHaveBeenCalledTimes(60);
  expect(events.onCall).toHaveBeenLastCalledWith("add", { id: 60 });
});

test("it reads resources by their addresses, which count as calls", async () => {
  const app = host();
  app.receive(request(0, "ui/initialize"));
  for (const uri of ["", 7, "x".repeat(2_001)]) app.receive(request(1, "resources/read", { uri }));
  await vi.waitFor(() => expect(posted).toHaveLength(4));
  expect(posted[0]).toMatchObject({ result: { hostCapabilities: { serverResources: {} } } });
  expect(posted.slice(1).map(({ error }) => error?.code)).toEqual([-32602, -32602, -32602]);
  for (let id = 1; id <= 61; id++) app.receive(request(id, "resources/read", { uri: `note://${id}` }));
  await vi.waitFor(() => expect(events.onOutlaw).toHaveBeenCalledOnce());
  expect(events.onRead).toHaveBeenCalledTimes(60);
  expect(events.onRead).toHaveBeenLastCalledWith("note://60");
});

test("an app that is looked at as it was then can call nothing, and isn't told that it could", async () => {
  const app = openAppHost(CALL, "dark", (message) => posted.push(message), {
    ...events,
    onCall: null,
    onRead: null,
  });
  app.receive(request(1, "ui/initialize"));
  app.receive(request(2, "tools/call", { name: "add" }));
  app.receive(request(3, "resources/read", { uri: "note://1" }));
  await vi.waitFor(() => expect(posted).toHaveLength(3));
  expect(posted[2]?.error?.code).toBe(-32601);
  expect(posted[0]).not.toMatchObject({ result: { hostCapabilities: { serverResources: {} } } });
  expect(posted[0]).not.toMatchObject({ result: { hostCapabilities: { serverTools: {} } } });
  expect(posted[1]?.error?.code).toBe(-32601);
  expect(events.onCall).not.toHaveBeenCalled();
});
