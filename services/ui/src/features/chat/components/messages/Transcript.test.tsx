import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { LogEvent, Session } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { event, message, page, said, session } from "../../../../testing/given";
import { answers, asks, happens, says, withRows } from "../../../../testing/rows";
import { changed, outgoing } from "../../fold/outbox";
import { opened, withChanged } from "../../fold/page";
import { transcript } from "../../fold/transcript";
import { Transcript } from "./Transcript";

const rewinding = { rewindAgent: vi.fn(), rewind: vi.fn(), fork: vi.fn(), vary: vi.fn(), seen: vi.fn() };
const actions = {
  sessionId: "s_1",
  agentId: "default",
  drawBlocks: () => null,
  drawApp: () => null,
  openCanvas: vi.fn(),
  canRewind: true,
  rewinding,
  answering: {},
  answer: vi.fn(),
  edit: vi.fn(),
  vary: vi.fn(),
  rate: vi.fn(async () => undefined),
  retry: vi.fn(),
  discard: vi.fn(),
  askAgain: vi.fn(),
  stop: vi.fn(),
};
const after = (...events: LogEvent[]) => events.reduce(withChanged, opened(session(), page()));

function show(view: ReturnType<typeof after>, outbox: Parameters<typeof transcript>[1] = []) {
  return render(
    <Transcript
      items={transcript(view, outbox)}
      sentAt={0}
      actions={actions}
      hasEarlier={false}
      earlier="idle"
      onLoadEarlier={vi.fn()}
    />,
  );
}

const TURN = [says(2, "Hello <b>"), asks(4, "m1")];
const fails = (sequence: number, text: string, change: Partial<Session>) =>
  withRows(event(sequence, "failed", { kind: "unreachable", message: text }), {
    session: change,
    messages: [message(sequence, "error", text)],
  });

test("a whole turn: question, answer, tool card, message in the middle of the work", async () => {
  const calls = [
    { tool: "get_state", arguments: { key: "a" } },
    { tool: "send_message", arguments: { text: "Half **way**" } },
  ];
  const { container } = show(after(...TURN, answers(5, "m1", "Let me *see*", calls)));
  const log = within(screen.getByRole("log", { name: "Conversation" }));
  expect(log.getByLabelText("You").textContent).toContain("Hello <b>");
  expect(log.getAllByLabelText("Agent").map((one) => one.querySelector("em, strong")?.textContent)).toEqual([
    "see",
    "way",
  ]);
  expect(log.getByLabelText("Tool call get_state")).toBeTruthy();
  expect(await violations(container)).toEqual([]);
});

test("a queued message says that it is", () => {
  show(after(...TURN, says(5, "And", { open_model_call: "m1", newest_model_call: "m1" })));
  expect(screen.getByText(/Queued/)).toBeTruthy();
});

test("a message that was not sent offers to try again or to drop it", async () => {
  const failed = changed([outgoing("k1", said("Hello"), 1, 0)], "k1", {
    state: "failed",
    problem: "It broke.",
  });
  const { container } = show(after(), failed);
  expect(screen.getByRole("alert").textContent).toContain("Not sent. It broke.");
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  await userEvent.click(screen.getByRole("button", { name: "Discard" }));
  expect(actions.retry).toHaveBeenCalledWith("k1");
  expect(actions.discard).toHaveBeenCalledWith("k1");
  expect(await violations(container)).toEqual([]);
});

test("an error of the session is shown in the words of whoever failed", () => {
  show(after(...TURN, fails(5, "Connection refused", { status: "error" })));
  expect(screen.getByLabelText("Error").textContent).toContain("Connection refused");
});

test("what can't be shown does not take the rest of the conversation with it", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const wrong = { kind: "said", key: "wrong", text: "x", call: null };
  const items = transcript(after(...TURN), []);
  render(
    <Transcript
      items={[...items, wrong as unknown as (typeof items)[number]]}
      sentAt={0}
      actions={actions}
      hasEarlier={false}
      earlier="idle"
      onLoadEarlier={vi.fn()}
    />,
  );
  expect(screen.getByRole("alert").textContent).toContain("It is safe in the log");
  screen.getByText("Hello <b>");
});

test("a failed turn: why, when it resumes automatically, and how to go on now or not at all", async () => {
  const retry_at = "2025-01-06T12:00:35.000Z";
  const failed_turn = {
    ...{ failed_sequence: 6, kind: "overloaded", message: "The server failed." },
    retryable: true,
    retry_at,
  };
  const { container } = show(after(...TURN, fails(6, "The server failed.", { status: "idle", failed_turn })));
  const card = within(screen.getByLabelText("Error"));
  expect(card.getByText(/The server failed/).textContent).toContain("at the latest");
  expect(container.querySelector(`time[datetime="${retry_at}"]`)).toBeTruthy();
  await userEvent.click(card.getByRole("button", { name: "Retry here" }));
  expect(actions.askAgain).toHaveBeenCalledOnce();
  await userEvent.click(card.getByRole("button", { name: /Stop retrying/ }));
  expect(actions.stop).toHaveBeenCalledOnce();
  expect(await violations(container)).toEqual([]);
});

test("a turn that only a person can go on with says what to do, and once it went on nothing more", () => {
  const why = { kind: "authentication", message: "The key was refused.", retryable: false, retry_at: null };
  const failed = [
    ...TURN,
    fails(6, why.message, { status: "idle", failed_turn: { failed_sequence: 6, ...why } }),
  ];
  const { rerender, unmount } = show(after(...failed));
  expect(screen.getByLabelText("Error").textContent).toContain("FOLDLINE_MODEL_API_KEY");
  expect(screen.queryByRole("button", { name: /Stop retrying/ })).toBeNull();
  rerender(<div />);
  unmount();
  show(after(...failed, happens(8, "turn_started", {}, { status: "running" })));
  expect(screen.queryByRole("button", { name: "Retry here" })).toBeNull();
  expect(screen.getByLabelText("Error").className).toContain("is-over");
});
