import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { age } from "../lib/age";
import { api } from "../lib/api";
import { OldLists } from "./OldLists";

const answer = (headers: Record<string, string>) =>
  new Response('{"items":[]}', { headers: { "Content-Type": "application/json", ...headers } });

async function read(headers: Record<string, string>): Promise<void> {
  vi.stubGlobal("fetch", async () => answer(headers));
  await act(() => api.GET("/agents"));
}

afterEach(() => {
  vi.unstubAllGlobals();
  act(() => age.set(() => null));
});

it("says how old lists are, until they are as of now", async () => {
  render(<OldLists />);
  await read({ "Foldline-Behind": "1312", "Foldline-As-Of": "2026-01-31T12:00:00.000Z" });
  expect(screen.getByRole("status").textContent).toContain("1,312 events are not in them yet");
  expect(screen.getByRole("status").textContent).toContain("foldline doctor says what is wrong");
  await read({});
  expect(screen.getByRole("status").textContent).toContain("1,312 events");
  await read({ "Foldline-Behind": "0" });
  expect(screen.getByRole("status").textContent).toBe("");
});
