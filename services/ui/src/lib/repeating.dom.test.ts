import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Problem, Unreachable } from "./problems";
import { repeating } from "./repeating";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const cut = new Unreachable("cut");

test("a read that failed for a passing reason is run again by itself, with growing waits", () => {
  const run = vi.fn();
  const again = repeating(run);
  again.failed(cut);
  vi.advanceTimersByTime(3_000);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(4_000);
  expect(run).toHaveBeenCalledTimes(1);
  for (let more = 0; more < 20; more += 1) {
    again.failed(new Problem(503, "unavailable", "busy"));
    vi.advanceTimersByTime(15_000);
  }
  expect(run).toHaveBeenCalledTimes(21);
});

test("it is run at once when the browser comes online, and when the page is shown again", () => {
  const run = vi.fn();
  const again = repeating(run);
  again.failed(cut);
  window.dispatchEvent(new Event("online"));
  expect(run).toHaveBeenCalledTimes(1);
  again.failed(cut);
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  expect(run).toHaveBeenCalledTimes(1);
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("visible");
  document.dispatchEvent(new Event("visibilitychange"));
  expect(run).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(60_000);
  expect(run).toHaveBeenCalledTimes(2);
});

test("what is refused, done or not wanted any more is not run again", () => {
  const run = vi.fn();
  const again = repeating(run);
  again.failed(new Problem(404, "not_found", "none"));
  again.failed(cut);
  again.stop();
  window.dispatchEvent(new Event("online"));
  vi.advanceTimersByTime(60_000);
  expect(run).not.toHaveBeenCalled();
});
