import { fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { isAnswerable, type Shown } from "../../../lib/shown";
import type { SessionView, TimelineRow } from "../../../lib/wire";
import { Conversation } from "./Conversation";

const folded = (call_id: string, tool: string, change: object = {}) => ({
  call_id,
  tool,
  arguments: {},
  runs_on: "tools",
  effect: "recorded",
  status: "completed",
  requested: 6,
  result: null,
  ...change,
});
const show = { kind: "render_blocks", title: "Trip", blocks: [{ type: "markdown", content: "Hi" }] };

const STATE = {
  session_id: "s_1",
  agent_id: "main",
  status: "running",
  usage: { input: 1, output: 1, tokens: 2, cached_input: 0 },
  last_sequence: 9,
  messages: [
    {
      sequence: 5,
      role: "assistant",
      text: "",
      tool_calls: [
        folded("m1-00", "set_state"),
        folded("m1-01", "render_blocks", { status: "pending", show }),
        folded("m1-02", "render_blocks", { status: "failed" }),
      ],
    },
  ],
  earlier: 0,
  queue: [],
} as unknown as SessionView;

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
});

test("blocks are drawn as they were, and can't be answered from the past; other calls have their cards", () => {
  const drawBlocks = vi.fn((shown: Shown) => <p>drawn {String(shown.call.show?.title)}</p>);
  render(<Conversation state={STATE} row={null} drawBlocks={drawBlocks} drawComponent={() => null} />);
  expect(screen.getByText("drawn Trip")).toBeTruthy();
  expect(drawBlocks).toHaveBeenCalledTimes(1);
  const [shown] = drawBlocks.mock.calls[0] ?? [];
  expect(shown).toMatchObject({ sessionId: "s_1", agentId: "main", call: { call_id: "m1-01" } });
  expect(shown && isAnswerable(shown)).toBe(false);
  const cards = screen.getAllByRole("article").map((card) => card.getAttribute("aria-label"));
  expect(cards).toEqual(["Tool call set_state", "Tool call render_blocks"]);
});

test("a card says what the model wrote where that was taken as something else", () => {
  const coerced = folded("m1-00", "add", { arguments: { count: 5 }, as_sent: { count: "5" } });
  const state = { ...STATE, messages: [{ ...STATE.messages[0], tool_calls: [coerced] }] } as SessionView;
  render(<Conversation state={state} row={null} drawBlocks={() => null} drawComponent={() => null} />);
  fireEvent.click(screen.getByRole("button", { name: /add/ }));
  expect(screen.getByText('The model wrote "5" for count; taken as 5')).toBeTruthy();
});

test("what the agent said in the middle of its work is read as it is in the chat", () => {
  const calls = [folded("m1-00", "send_message", { arguments: { text: "**1 of 3** done" } })];
  const state = {
    ...STATE,
    messages: [{ ...STATE.messages[0], tool_calls: calls }],
  } as unknown as SessionView;
  const draw = { drawBlocks: () => null, drawComponent: () => null };
  const { container } = render(<Conversation state={state} row={null} {...draw} />);
  expect(container.querySelector("strong")?.textContent).toBe("1 of 3");
  expect(container.querySelector(".tool")).toBeNull();
});

test("the call that was chosen shows its arguments and its result", () => {
  const row = { call_id: "m1-00", place: 6, endPlace: 7, type: "tool_call_requested" } as TimelineRow;
  const draw = { drawBlocks: () => null, drawComponent: () => null };
  const { rerender } = render(<Conversation state={STATE} row={null} {...draw} />);
  expect(screen.queryByRole("group", { name: "Arguments" })).toBeNull();
  rerender(<Conversation state={STATE} row={row} {...draw} />);
  expect(screen.getAllByRole("group", { name: "Arguments" })).toHaveLength(1);
});

test("a component is drawn as it was shown once it is opened, beside the answer that it was given", () => {
  const component = {
    kind: "render_and_wait",
    component: "Tally",
    version: 2,
    at: 4,
    props: { unit: "apples" },
  };
  const result = { action: "counted", count: 3 };
  const calls = [folded("m1-00", "render_and_wait", { show: component, result })];
  const state = { ...STATE, messages: [{ ...STATE.messages[0], tool_calls: calls }] };
  const drawComponent = vi.fn((shown: Shown) => <p>drawn {String(shown.call.show?.component)}</p>);
  const { container } = render(
    <Conversation
      state={state as unknown as SessionView}
      row={null}
      drawBlocks={() => null}
      drawComponent={drawComponent}
    />,
  );
  expect(container.textContent).toContain('counted{"count":3}');
  expect(container.textContent).toContain("version 2");
  expect(drawComponent).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole("button", { name: "Show" }));
  expect(screen.getByText("drawn Tally")).toBeTruthy();
  expect(container.textContent).toContain("What you do in it changes nothing.");
  const [shown] = drawComponent.mock.calls[0] ?? [];
  expect(shown).toMatchObject({ past: true, call: { show: component, request_address: "6" } });
  fireEvent.click(screen.getByRole("button", { name: "Hide" }));
  expect(screen.queryByText("drawn Tally")).toBeNull();
});

test("it says which material from outside the context held then, with the way to where it came in", () => {
  const outside = [
    { kind: "web" as const, name: "evil.example", at: "7", session: "s_0" },
    { kind: "web" as const, count: 4, at: "8", session: "s_1" },
  ];
  const { container } = render(
    <Conversation
      state={{ ...STATE, outside } as unknown as SessionView}
      row={null}
      drawBlocks={() => null}
      drawComponent={() => null}
    />,
  );
  expect(container.textContent).toContain(
    "The context holds material from evil.example (the web), 4 other sites",
  );
  expect(screen.getByRole("link", { name: "evil.example (the web)" }).getAttribute("href")).toContain("s_0");
});
