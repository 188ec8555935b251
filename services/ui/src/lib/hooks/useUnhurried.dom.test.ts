import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useUnhurried } from "./useUnhurried";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("what is asked can't be answered in its first moment, nor what takes its place", () => {
  const first = { say: "a" };
  const { result, rerender } = renderHook(({ asked }) => useUnhurried(asked), {
    initialProps: { asked: first },
  });
  expect(result.current).toBe(false);
  act(() => vi.advanceTimersByTime(599));
  expect(result.current).toBe(false);
  act(() => vi.advanceTimersByTime(1));
  expect(result.current).toBe(true);
  rerender({ asked: { say: "b" } });
  expect(result.current).toBe(false);
  act(() => vi.advanceTimersByTime(600));
  expect(result.current).toBe(true);
});
