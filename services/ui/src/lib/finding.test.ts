import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { canFindInChat, findInChat, onFindInChat } from "./finding";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("it is asked for once what asked has closed, of the chat that is then in sight", () => {
  const first = vi.fn();
  const second = vi.fn();
  expect(canFindInChat()).toBe(false);
  const stop = onFindInChat(first);
  expect(canFindInChat()).toBe(true);
  findInChat();
  expect(first).not.toHaveBeenCalled();
  stop();
  const leave = onFindInChat(second);
  vi.runAllTimers();
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledOnce();
  leave();
  expect(canFindInChat()).toBe(false);
});
