import { afterEach, expect, test, vi } from "vitest";
import { gatewayAnswering } from "../testing/gateway";
import { address, answerOf, api, once } from "./api";
import { isPassing, onUnauthorized, Problem, Unreachable } from "./problems";

afterEach(() => vi.unstubAllGlobals());

const SESSION = { params: { path: { session_id: "s_1" } } };
const read = () => answerOf(api.GET("/sessions/{session_id}", SESSION));

test("an address leaves out what is null", () => {
  expect(address("/sessions", { q: null, limit: 5 })).toBe("api/v1/sessions?limit=5");
  expect(address("/sessions")).toBe("api/v1/sessions");
});

test("a request goes beside the document, with what is given of the query and names as they are", async () => {
  const asked = gatewayAnswering(() => Response.json({ items: [], next_cursor: null }));
  const path = { agent_id: "a1", key: "a/b?c d" };
  await answerOf(api.GET("/agents/{agent_id}/state/{key}", { params: { path, query: { at: null } } }));
  await answerOf(api.GET("/sessions", { params: { query: { q: null, limit: 5 } } }));
  expect(asked.map((one) => one.path)).toEqual(["/agents/a1/state/a%2Fb%3Fc%20d", "/sessions?limit=5"]);
});

test("a write carries its key and its body", async () => {
  const asked = gatewayAnswering(() => Response.json({ sequence: 7 }));
  const params = { ...SESSION.params, header: once("k") };
  await answerOf(api.POST("/sessions/{session_id}/messages", { params, body: { text: "Hi" } }));
  expect(asked).toEqual([{ method: "POST", path: "/sessions/s_1/messages", body: { text: "Hi" }, key: "k" }]);
});

test("a problem document's kind and words come through", async () => {
  gatewayAnswering(() => Response.json({ kind: "session_closed", detail: "It has ended." }, { status: 409 }));
  await expect(read()).rejects.toMatchObject({
    status: 409,
    kind: "session_closed",
    message: "It has ended.",
    more: { kind: "session_closed" },
  });
});

test("an answer that is not a problem document still says its status", async () => {
  gatewayAnswering(() => new Response("<h1>oops</h1>", { status: 502, statusText: "Bad Gateway" }));
  await expect(read()).rejects.toMatchObject({
    kind: "internal",
    message: "The server answered 502 Bad Gateway",
  });
});

test("a refusal for want of a token is announced", async () => {
  gatewayAnswering(() => Response.json({ kind: "unauthorized" }, { status: 401 }));
  const listener = vi.fn();
  const stop = onUnauthorized(listener);
  await expect(read()).rejects.toMatchObject({ kind: "unauthorized" });
  stop();
  await expect(read()).rejects.toBeInstanceOf(Error);
  expect(listener).toHaveBeenCalledOnce();
});

test("a broken connection, a broken answer and an empty one are all unreachable", async () => {
  const answers = [
    () => {
      throw new TypeError("cut");
    },
    () => new Response("{half", { status: 200 }),
    () => new Response("<h1>a proxy's page</h1>", { status: 200 }),
    () => new Response(null, { status: 204 }),
  ];
  for (const answer of answers) {
    gatewayAnswering(answer);
    await expect(read()).rejects.toBeInstanceOf(Unreachable);
  }
});

test("a request that was given up is neither a problem nor unreachable", async () => {
  const given = new AbortController();
  vi.stubGlobal("fetch", async () => {
    given.abort();
    throw given.signal.reason;
  });
  const asked = answerOf(api.GET("/settings", { signal: given.signal }));
  await expect(asked).rejects.toMatchObject({ name: "AbortError" });
});

test("what may pass and what may not", () => {
  const passing = (status: number) => isPassing(new Problem(status, "x", "x"));
  expect([429, 500, 503].map(passing)).toEqual([true, true, true]);
  expect([400, 401, 404, 409, 422].some(passing)).toBe(false);
});
