import { expect, test } from "vitest";
import { session } from "../../../testing/given";
import { telling } from "./deleting";

test("what is erased and what stays is said, with the chats that were forked from it", () => {
  const one = session({ title: "Tea" });
  const said = telling([one], [one, session({ id: "s_2", forked_from_id: "s_1" })]);
  expect(said.title).toBe("Delete “Tea”?");
  expect(said.erased).toContain("This can't be undone.");
  expect(said.stays).toHaveLength(2);
  expect(said.stays[1]).toMatch(
    /^One chat was forked from this one\. It keeps the history it shares with it/,
  );
});

test("of several that go together, a fork among them is not said to stay; one at work is stopped", () => {
  const both = [session({ status: "running" }), session({ id: "s_2", forked_from_id: "s_1" })];
  const said = telling(both, both);
  expect(said.title).toBe("Delete 2 chats?");
  expect(said.erased).toMatch(/^Running work is stopped\./);
  expect(said.stays).toHaveLength(1);
});
