import { expect, test } from "vitest";
import type { ToolCall } from "../../../lib/wire";
import type { BrowserInput } from "./handOver";
import { addressParts, askedBy, endedAs, keyInput, withInput } from "./handOver";

const call = (more: Partial<ToolCall>) => ({ call_id: "c1", status: "pending", ...more }) as ToolCall;
const key = { key: "a", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const move = (x: number): BrowserInput => ({
  type: "mouse",
  action: "move",
  x,
  y: 0,
  button: "left",
  clicks: 1,
});

test("a card says why, and how it ended", () => {
  expect(askedBy(call({ show: { reason: "Log in", instructions: null } }))).toEqual({
    reason: "Log in",
    instructions: null,
  });
  expect(endedAs(call({}))).toBeNull();
  const done = { ended: "done", url: "https://a.test/x", title: "A", login_kept: true };
  expect(endedAs(call({ status: "completed", result: done }))).toBe(
    "You gave the browser back at a.test. The login is kept for this agent.",
  );
  const lost = { ended: "context_lost", reason: "Chromium died" };
  expect(endedAs(call({ status: "completed", result: lost }))).toContain("Chromium died");
  expect(endedAs(call({ status: "completed", result: { ended: "declined" } }))).toBe("You did not want to.");
});

test("an address shows whose page it is, also where it pretends to be another's", () => {
  expect(addressParts("https://bank.test@evil.test:8443/bank.test?x=1")).toEqual({
    before: "https://",
    host: "evil.test:8443",
    after: "/bank.test?x=1",
    secure: true,
  });
  expect(addressParts("about:blank").host).toBe("");
  expect(addressParts("http://a.test/").secure).toBe(false);
});

test("keys go to the page, but copying and pasting stay here, and so do keys without a meaning there", () => {
  expect(keyInput(key)).toEqual({ type: "key", key: "a", ctrl: false, alt: false, shift: false });
  expect(keyInput({ ...key, metaKey: true })).toMatchObject({ ctrl: true });
  expect(keyInput({ ...key, key: "€" })).toMatchObject({ key: "€" });
  expect(keyInput({ ...key, key: "Tab", shiftKey: true })).toMatchObject({ key: "Tab", shift: true });
  for (const kept of ["v", "C", "x"]) expect(keyInput({ ...key, key: kept, ctrlKey: true })).toBeNull();
  for (const none of ["Shift", "F6", "Dead", "Unidentified"]) {
    expect(keyInput({ ...key, key: none })).toBeNull();
  }
});

test("what waits to be sent does not grow by moving and scrolling", () => {
  const wheel = (dy: number): BrowserInput => ({ type: "wheel", x: 1, y: 1, dx: 0, dy });
  const waiting = [move(1), move(2), wheel(5), wheel(7), move(3)].reduce<BrowserInput[]>(withInput, []);
  expect(waiting).toEqual([move(2), wheel(12), move(3)]);
});
