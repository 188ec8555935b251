import { afterEach, expect, test, vi } from "vitest";
import { address, isPassing, onUnauthorized, Problem, request, Unreachable } from "./http";

afterEach(() => vi.unstubAllGlobals());

function answering(response: Response | Error) {
  const fetched = vi.fn(async (_url: string, _init: RequestInit) => {
    if (response instanceof Error) throw response;
    return response;
  });
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

test("an address leaves out what is not given", () => {
  expect(address("/sessions", { q: null, cursor: undefined, limit: 5 })).toBe("api/v1/sessions?limit=5");
  expect(address("/sessions")).toBe("api/v1/sessions");
});

test("a write carries its key and its body", async () => {
  const fetched = answering(Response.json({ sequence: 7 }));
  await request("/x", { method: "POST", body: { a: 1 }, idempotencyKey: "k" });
  const init = fetched.mock.calls[0]?.[1];
  expect(init).toMatchObject({ method: "POST", body: '{"a":1}' });
  expect(new Headers(init?.headers).get("idempotency-key")).toBe("k");
});

test("a problem document's kind and words come through", async () => {
  answering(Response.json({ kind: "session_closed", detail: "It has ended." }, { status: 409 }));
  await expect(request("/x")).rejects.toMatchObject({
    status: 409,
    kind: "session_closed",
    message: "It has ended.",
  });
});

test("an answer that is no problem document still says its status", async () => {
  answering(new Response("<h1>oops</h1>", { status: 502, statusText: "Bad Gateway" }));
  await expect(request("/x")).rejects.toMatchObject({
    kind: "internal",
    message: "The server answered 502 Bad Gateway",
  });
});

test("a refusal for want of a token is announced", async () => {
  answering(Response.json({ kind: "unauthorized" }, { status: 401 }));
  const listener = vi.fn();
  const stop = onUnauthorized(listener);
  await expect(request("/x")).rejects.toMatchObject({ kind: "unauthorized" });
  stop();
  await expect(request("/x")).rejects.toBeInstanceOf(Error);
  expect(listener).toHaveBeenCalledOnce();
});

test("a broken connection and a broken answer are both unreachable", async () => {
  answering(new TypeError("cut"));
  await expect(request("/x")).rejects.toBeInstanceOf(Unreachable);
  answering(new Response("{half", { status: 200 }));
  await expect(request("/x")).rejects.toBeInstanceOf(Unreachable);
});

test("what may pass and what may not", () => {
  expect([429, 500, 503].map((status) => isPassing(new Problem(status, "x", "x")))).toEqual([
    true,
    true,
    true,
  ]);
  expect([400, 401, 404, 409, 422].some((status) => isPassing(new Problem(status, "x", "x")))).toBe(false);
});
