import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { LogEvent } from "../../../../lib/wire";
import { violations } from "../../../../testing/axe";
import { answer, event, page, said, session } from "../../../../testing/given";
import { evolve } from "../../fold/evolve";
import { changed, outgoing } from "../../fold/outbox";
import { opened } from "../../fold/page";
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
const after = (...events: LogEvent[]) => events.reduce(evolve, opened(session(), page()));

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

const TURN = [
  event(2, "user_message", { text: "Hello <b>" }),
  event(3, "turn_started", {}),
  event(4, "model_call_requested", { call_id: "m1", joins: [2] }),
];

test("a whole turn: question, answer, tool card, message in the middle of the work", async () => {
  const calls = [
    { call_id: "m1-00", tool: "get_state", arguments: { key: "a" } },
    { call_id: "m1-01", tool: "send_message", arguments: { text: "Half **way**" } },
  ];
  const { container } = show(
    after(...TURN, event(5, "model_call_completed", answer("m1", "Let me *see*", calls))),
  );
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
  show(after(...TURN, event(5, "user_message", { text: "And" })));
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
  show(after(...TURN, event(5, "failed", { kind: "unreachable", message: "Connection refused" })));
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

const FAILED = [
  ...TURN,
  event(5, "model_call_failed", { call_id: "m1", kind: "overloaded", message: "busy", model: "x" }),
];

test("a failed turn: why, when it resumes automatically, and how to go on now or not at all", async () => {
  const retry_at = "2025-01-06T12:00:35.000Z";
  const body = { kind: "overloaded", message: "The server failed.", retryable: true, retry_at };
  const { container } = show(after(...FAILED, event(6, "turn_failed", body)));
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
  const body = { kind: "authentication", message: "The key was refused." };
  const failed = [...FAILED, event(6, "turn_failed", body)];
  const { rerender, unmount } = show(after(...failed));
  expect(screen.getByLabelText("Error").textContent).toContain("FOLDLINE_MODEL_API_KEY");
  expect(screen.queryByRole("button", { name: /Stop retrying/ })).toBeNull();
  rerender(<div />);
  unmount();
  show(after(...failed, event(7, "retry_asked", {}), event(8, "turn_started", {})));
  expect(screen.queryByRole("button", { name: "Retry here" })).toBeNull();
  expect(screen.getByLabelText("Error").className).toContain("is-over");
});
