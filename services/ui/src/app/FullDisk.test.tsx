import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { api } from "../lib/api";
import { LOOK_MS, storage } from "../lib/storage";
import { FullDisk } from "./FullDisk";

const FULL = "The disk of the log is full. Make room";

/** What the gateway answers from now on: each request, and the probe. */
function answers(problem: string | null): void {
  const probe = { status: problem ? "failing" : "ok", checks: { storage: problem ?? "ok" } };
  const refusal = { kind: "storage", detail: problem, title: "Nothing can be stored", status: 503 };
  vi.stubGlobal("fetch", async (asked: Request | URL) => {
    const isProbe = String(asked instanceof Request ? asked.url : asked).endsWith("/readyz");
    const failed = problem !== null;
    const body = isProbe ? probe : failed ? refusal : { items: [] };
    const type = failed && !isProbe ? "application/problem+json" : "application/json";
    return new Response(JSON.stringify(body), {
      status: failed ? 503 : 200,
      headers: { "Content-Type": type },
    });
  });
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  act(() => storage.set(() => null));
});

it("says that the disk is full, at the first request that is refused, until it is freed", async () => {
  vi.useFakeTimers();
  answers(FULL);
  render(<FullDisk />);
  await act(() => api.GET("/agents").catch(() => {}));
  expect(screen.getByRole("alert").textContent).toBe(`${FULL}.`);
  answers(null);
  await act(() => vi.advanceTimersByTimeAsync(LOOK_MS));
  expect(screen.queryByRole("alert")).toBeNull();
});

it("says so where nobody writes, after a second look: one may only have been slow", async () => {
  vi.useFakeTimers();
  answers(FULL);
  render(<FullDisk />);
  await act(() => vi.advanceTimersByTimeAsync(3_500));
  expect(screen.queryByRole("alert")).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(3_500));
  expect(screen.getByRole("alert").textContent).toBe(`${FULL}.`);
});
