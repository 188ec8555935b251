import { expect, test } from "vitest";
import type { Version } from "../../../lib/wire";
import { timeOf } from "../../../testing/given";
import { chosenPair, revertible, versionName } from "./view";

const version = (sequence: number, number: number | null): Version => ({
  ...{ sequence, version: number, deleted: number === null, written_at: timeOf(sequence), actor: "agent" },
  ...{ session_id: null, call_id: null, causation: null, replaced: null },
});
const LIST = [version(9, 1), version(7, null), version(5, 2), version(3, 1)];

test("at first the newest is compared with the one before it", () => {
  expect(chosenPair(LIST, {})).toEqual({ from: 7, to: 9 });
  expect(chosenPair([version(3, 1)], {})).toEqual({ from: 3, to: 3 });
});

test("any two can be chosen, also backwards; of one chosen, the other is the one before it", () => {
  expect(chosenPair(LIST, { from: 9, to: 3 })).toEqual({ from: 9, to: 3 });
  expect(chosenPair(LIST, { to: 5 })).toEqual({ from: 3, to: 5 });
  expect(chosenPair(LIST, { from: 999, to: 5 })).toEqual({ from: 3, to: 5 });
});

test("one can go back to each version but the newest, and to no deletion", () => {
  expect(LIST.map((_, index) => revertible(LIST, index))).toEqual([false, false, true, true]);
});

test("a version is named by its event too, since numbers come again", () => {
  expect(LIST.slice(0, 2).map(versionName)).toEqual(["Version 1 (event 9)", "Deleted (event 7)"]);
});
