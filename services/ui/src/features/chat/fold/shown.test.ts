import { expect, test } from "vitest";
import { titleOf } from "../../../lib/shown";
import type { ToolCall } from "../../../lib/wire";
import { page, session, toolCall } from "../../../testing/given";
import { opened } from "./page";
import { inCanvas, NOTHING_CHOSEN } from "./shown";
import { plain, withMessage } from "./view";

const COMPONENT = { kind: "render_and_wait", component: "Tally", version: 1, at: 5, props: {} };
const waits = (id: string) =>
  toolCall({ call_id: id, tool: "render_and_wait", status: "pending", show: COMPONENT, result: null });

function given(...calls: ToolCall[]) {
  const view = opened(session(), page());
  const event = { sequence: 3, time: "2026-01-01T00:00:00Z", session_id: "s_1" };
  const said = {
    ...plain(event),
    role: "assistant" as const,
    text: "",
    calls: calls.map((one) => one.call_id),
  };
  return { ...withMessage(view, said), calls: Object.fromEntries(calls.map((one) => [one.call_id, one])) };
}

test("what waits stands in the canvas, until it is shut", () => {
  const view = given(waits("a"), waits("b"));
  expect(inCanvas(view, NOTHING_CHOSEN)?.call_id).toBe("a");
  expect(inCanvas(view, { opened: null, shut: ["a"] })?.call_id).toBe("b");
  expect(inCanvas(view, { opened: null, shut: ["a", "b"] })).toBeNull();
});

test("what was opened stays until it is answered; what was answered before can be looked at", () => {
  const done = toolCall({ ...waits("a"), status: "completed", result: { action: "x" } });
  const view = given(done, waits("b"));
  expect(inCanvas(view, { opened: { callId: "a", waited: true }, shut: [] })?.call_id).toBe("b");
  expect(inCanvas(view, { opened: { callId: "a", waited: false }, shut: [] })?.call_id).toBe("a");
});

test("blocks don't stand in the canvas", () => {
  const blocks = toolCall({ ...waits("a"), show: { kind: "render_blocks", blocks: [] } });
  expect(inCanvas(given(blocks), NOTHING_CHOSEN)).toBeNull();
});

test("a component is called by its title, else by its name", () => {
  expect(titleOf(waits("a"))).toBe("Tally");
  expect(titleOf(toolCall({ show: { ...COMPONENT, title: "Count" } }))).toBe("Count");
  expect(titleOf(toolCall({ show: { kind: "render_and_wait", code: "" } }))).toBe("Component");
});
