import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { Rewinding } from "../../../lib/rewinding";
import type { Session } from "../../../lib/wire";
import { EventCard } from "./EventCard";

const SESSION = { id: "s_1", agent_id: "default", status: "idle", last_sequence: 90 } as Session;

function shown(at: number | null, status: Session["status"] = "idle") {
  const rewinding = { fork: vi.fn(), rewind: vi.fn(), restore: vi.fn() };
  render(
    <EventCard
      session={{ ...SESSION, status }}
      at={at}
      row={null}
      asked={null}
      rewinding={rewinding as unknown as Rewinding}
    />,
  );
  return rewinding;
}

test("an event in the past can be gone back to, forked, and the agent restored to it", () => {
  const rewinding = shown(40);
  fireEvent.click(screen.getByRole("button", { name: "Rewind to here…" }));
  expect(rewinding.rewind).toHaveBeenCalledWith({ sessionId: "s_1", at: 40 });
  fireEvent.click(screen.getByRole("button", { name: "Fork here…" }));
  expect(rewinding.fork).toHaveBeenCalledWith({ sessionId: "s_1", at: 40 }, "");
  fireEvent.click(screen.getByRole("button", { name: "Restore the agent…" }));
  expect(rewinding.restore).toHaveBeenCalledTimes(1);
});

test.each([
  ["now", null, "idle"],
  ["a session that has ended", 40, "completed"],
] as const)("there is no way back from %s", (_, at, status) => {
  shown(at, status);
  expect(screen.queryByRole("button", { name: "Rewind to here…" })).toBeNull();
});
