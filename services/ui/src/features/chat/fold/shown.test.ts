import { expect, test } from "vitest";
import { titleOf } from "../../../lib/shown";
import type { ToolCall } from "../../../lib/wire";
import { message, page, session, toolCall } from "../../../testing/given";
import { opened } from "./page";
import { inCanvas, NOTHING_CHOSEN } from "./shown";

const COMPONENT = { kind: "render_and_wait", component: "Tally", version: 1, at: 5, props: {} };
const waits = (id: string) =>
  toolCall({ call_id: id, tool: "render_and_wait", status: "pending", show: COMPONENT, result: null });

function given(...calls: ToolCall[]) {
  return opened(session(), page([message(3, "assistant", "", calls)]));
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
