import { expect, test } from "vitest";
import { session } from "../../../testing/given";
import { grouped, trees } from "./groups";
import type { ListedSession } from "./view";

const NOW = new Date(2025, 5, 20, 12);
const daysAgo = (days: number) => new Date(2025, 5, 20 - days, 9).toISOString();
const listed = (id: string, active_at: string, parent_id: string | null = null): ListedSession => ({
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
