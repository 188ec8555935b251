import { expect, test } from "vitest";
import type { Session } from "../../../lib/wire";
import { session } from "../../../testing/given";
import { grouped, trees } from "./groups";

const NOW = new Date(2025, 5, 20, 12);
const daysAgo = (days: number) => new Date(2025, 5, 20 - days, 9).toISOString();
const listed = (id: string, active_at: string, parent_id: string | null = null): Session => ({
  ...session({ id, parent_id }),
  active_at,
});

test("sessions stand under the day of their last activity, newest first", () => {
  const groups = grouped(
    [
      listed("old", daysAgo(60)),
      listed("a", daysAgo(0)),
      listed("b", daysAgo(1)),
      listed("c", daysAgo(5)),
      listed("d", daysAgo(20)),
    ],
    NOW,
  );
  expect(groups.map((group) => group.label)).toEqual([
    "Today",
    "Yesterday",
    "Previous 7 days",
    "Previous 30 days",
    "April 2025",
  ]);
});

test("children stand below their parent, which moves up with them", () => {
  const [first, second] = trees([
    listed("lone", daysAgo(1)),
    listed("parent", daysAgo(3)),
    listed("child", daysAgo(0), "parent"),
  ]);
  expect(first?.session.id).toBe("parent");
  expect(first?.children.map((child) => child.session.id)).toEqual(["child"]);
  expect(second?.session.id).toBe("lone");
});

test("a child whose parent is not loaded stands alone", () => {
  expect(trees([listed("child", daysAgo(0), "elsewhere")]).map((tree) => tree.session.id)).toEqual(["child"]);
});

test("what is pinned stands first, what its person closed last, and a sub-session that is done with its parent", () => {
  const pinned = { ...listed("pinned", daysAgo(90)), pinned: true };
  const closed = { ...listed("closed", daysAgo(0)), status: "completed" as const };
  const done = { ...listed("done", daysAgo(0), "lone"), status: "completed" as const };
  const groups = grouped([closed, listed("lone", daysAgo(0)), done, pinned], NOW);
  expect(groups.map(({ label, trees: [first] }) => [label, first?.session.id])).toEqual([
    ["Pinned", "pinned"],
    ["Today", "lone"],
    ["Archived", "closed"],
  ]);
});

test("a fork stands below the session that it was forked from", () => {
  const fork = { ...listed("fork", daysAgo(0)), forked_from_id: "lone" };
  const [first] = trees([listed("lone", daysAgo(1)), fork]);
  expect(first?.children.map(({ session: { id } }) => id)).toEqual(["fork"]);
});

test("a fork that its person closed leaves its place, and one that goes on stays where what it is of is closed", () => {
  const closed = { status: "completed" as const };
  const fork = { ...listed("fork", daysAgo(0)), forked_from_id: "lone" };
  const where = (sessions: Session[]) =>
    grouped(sessions, NOW).map(({ label, trees }) => [label, ...trees.map(({ session }) => session.id)]);
  expect(where([listed("lone", daysAgo(0)), { ...fork, ...closed }])).toEqual([
    ["Today", "lone"],
    ["Archived", "fork"],
  ]);
  expect(where([{ ...listed("lone", daysAgo(0)), ...closed }, fork])).toEqual([
    ["Today", "fork"],
    ["Archived", "lone"],
  ]);
});
