import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Session } from "../../../../lib/wire";
import { session } from "../../../../testing/given";
import { closedAdvice } from "../../fold/advice";
import { ClosedNotice } from "./ClosedNotice";

function show(change: Partial<Session>) {
  const notice = closedAdvice(session(change));
  if (!notice) throw new Error("this session is not closed");
  const onSayAgain = vi.fn();
  const onContinue = vi.fn();
  const onReopen = vi.fn();
  const does = { onSayAgain, onContinue, onReopen };
  render(<ClosedNotice notice={notice} lastText="Sum it up" {...does} />);
  return does;
}

test("a wrong key: says so, what to set, and offers the last message again", async () => {
  const { onSayAgain } = show({ status: "error", error: { kind: "authentication", message: "401" } });
  expect(screen.getByRole("region").textContent).toContain("FOLDLINE_MODEL_API_KEY");
  await userEvent.click(screen.getByRole("button", { name: /last message/ }));
  expect(onSayAgain).toHaveBeenCalledWith("Sum it up");
});

test("an error of an unknown kind still says what to do", () => {
  show({ status: "error", error: { kind: "log_corrupt", message: "hole" } });
  expect(screen.getByRole("region").textContent).toContain("Continue in a new chat");
});

test("used up tokens: the chat can go on with more", async () => {
  const { onContinue } = show({
    status: "token_limit_reached",
    usage: { input: 900, output: 100, tokens: 1000 },
  });
  await userEvent.click(screen.getByRole("button", { name: /Continue/ }));
  expect(onContinue).toHaveBeenCalledWith(1_001_000);
});

test("an archived chat can be reopened", async () => {
  const { onReopen } = show({ status: "completed" });
  await userEvent.click(screen.getByRole("button", { name: "Reopen" }));
  expect(onReopen).toHaveBeenCalledOnce();
});

test("a sub-session that has ended leads to a new chat only", () => {
  show({ status: "completed", parent_id: "s_0" });
  expect(screen.queryByRole("button")).toBeNull();
  expect(screen.getByRole("link", { name: /New chat/ }).getAttribute("href")).toBe("#/");
});

test("an open session has no such notice", () => {
  for (const status of ["idle", "running", "waiting_for_input"] as const) {
    expect(closedAdvice(session({ status }))).toBeNull();
  }
});
