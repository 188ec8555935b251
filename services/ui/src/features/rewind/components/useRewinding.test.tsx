import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { useRewinding } from "./useRewinding";

test("a dialog about a place goes away with the page from which it was opened", () => {
  const { result } = renderHook(() => useRewinding(() => {}));
  act(() => result.current.rewinding.fork({ sessionId: "s_1", at: 5 }, ""));
  expect(result.current.dialog).toBeTruthy();
  act(() => void window.dispatchEvent(new HashChangeEvent("hashchange")));
  expect(result.current.dialog).toBeNull();
});
