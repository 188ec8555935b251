import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { Rewinding } from "../../../lib/rewinding";
import type { Session, TimelineRow } from "../../../lib/wire";
import { gatewayAnswering } from "../../../testing/gateway";
import { EventCard } from "./EventCard";

afterEach(() => vi.unstubAllGlobals());

const SESSION = { id: "s_1", agent_id: "default", status: "idle", last_sequence: 90 } as Session;

function shown(at: number | null, status: Session["status"] = "idle", row: TimelineRow | null = null) {
  const rewinding = { fork: vi.fn(), rewind: vi.fn(), rewindAgent: vi.fn() };
  render(
    <EventCard
      session={{ ...SESSION, status }}
      at={at}
      row={row}
      asked={null}
      rewinding={rewinding as unknown as Rewinding}
    />,
  );
  return rewinding;
}

test("an event in the past can be gone back to, forked, and the agent rewound to it", () => {
  const rewinding = shown(40);
  fireEvent.click(screen.getByRole("button", { name: "Rewind to here…" }));
  expect(rewinding.rewind).toHaveBeenCalledWith({ sessionId: "s_1", at: 40 });
  fireEvent.click(screen.getByRole("button", { name: "Fork here…" }));
  expect(rewinding.fork).toHaveBeenCalledWith({ sessionId: "s_1", at: 40 }, "");
  fireEvent.click(screen.getByRole("button", { name: "Rewind the agent…" }));
  expect(rewinding.rewindAgent).toHaveBeenCalledTimes(1);
});

test.each([
  ["now", null, "idle"],
  ["a session that has ended", 40, "completed"],
] as const)("there is no way back from %s", (_, at, status) => {
  shown(at, status);
  expect(screen.queryByRole("button", { name: "Rewind to here…" })).toBeNull();
});

test("the details of an answer say what the model wrote where that was taken as something else", async () => {
  const call = { call_id: "m1-00", tool: "add", arguments: { count: 5 }, as_sent: { count: "5" } };
  const type = "foldline.session.model_call_completed.v1";
  gatewayAnswering(() =>
    Response.json({ items: [{ address: "5", type, body: { tool_calls: [call] } }], next_cursor: null }),
  );
  const row = { address: "5", place: 5, end: null, endPlace: null, type, changed: [], call_id: "m1" };
  shown(5, "idle", row as unknown as TimelineRow);
  fireEvent.click(screen.getByRole("button", { name: "Details" }));
  expect(await screen.findByText('The model wrote "5" for count; taken as 5')).toBeTruthy();
});
