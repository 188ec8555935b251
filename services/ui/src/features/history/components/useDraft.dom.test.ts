import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useDraft } from "./useDraft";

const href = (to: number | null) => (to === null ? "#/s/s1/history" : `#/s/s1/history/${to}`);

beforeEach(() => {
  vi.useFakeTimers();
  window.location.hash = href(9);
});
afterEach(() => vi.useRealTimers());

const scrubber = () =>
  renderHook(({ at }: { at: number | null }) => useDraft(at, href), {
    initialProps: { at: 9 as number | null },
  });
const rest = () => act(() => vi.advanceTimersByTime(40));

test("it stands at once where it was moved to, and the page goes there when it rests", () => {
  const { result } = scrubber();
  act(() => result.current.move(8));
  act(() => result.current.move(7));
  expect(result.current.shown).toBe(7);
  expect(window.location.hash).toBe(href(9));
  rest();
  expect(window.location.hash).toBe(href(7));
});

test("a move while the page is still on its way is not lost", () => {
  const { result, rerender } = scrubber();
  act(() => result.current.move(8));
  rest();
  act(() => result.current.move(7));
  rerender({ at: 8 });
  expect(result.current.shown).toBe(7);
  rest();
  expect(window.location.hash).toBe(href(7));
});

test("a move back while the page is still on its way is not lost either", () => {
  const { result, rerender } = scrubber();
  act(() => result.current.move(8));
  rest();
  act(() => result.current.move(9));
  rerender({ at: 8 });
  rest();
  expect(window.location.hash).toBe(href(9));
});

test("it stands where the page is once that went elsewhere", () => {
  const { result, rerender } = scrubber();
  act(() => result.current.move(8));
  rest();
  rerender({ at: null });
  expect(result.current.shown).toBeNull();
});

test("moved and moved back, the page stays", () => {
  const { result, rerender } = scrubber();
  act(() => result.current.move(8));
  act(() => result.current.move(9));
  rest();
  expect(window.location.hash).toBe(href(9));
  rerender({ at: 5 });
  expect(result.current.shown).toBe(5);
});
