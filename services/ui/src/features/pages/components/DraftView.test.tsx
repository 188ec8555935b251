import { act, render } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { DraftView } from "./DraftView";

afterEach(() => vi.useRealTimers());

test("a frame loads once, also when its code is written on", () => {
  vi.useFakeTimers();
  const loads = vi.spyOn(HTMLIFrameElement.prototype, "src", "set");
  const { rerender } = render(<DraftView agentId="a" name="Hello" code="one" props={{}} />);
  expect(loads).toHaveBeenCalledTimes(1);
  rerender(<DraftView agentId="a" name="Hello" code="two" props={{}} />);
  expect(loads).toHaveBeenCalledTimes(1);
  act(() => vi.advanceTimersByTime(1_000));
  expect(loads).toHaveBeenCalledTimes(2);
});
