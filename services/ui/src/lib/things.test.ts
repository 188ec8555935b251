import { expect, test } from "vitest";
import { shortThingWords } from "./things";

test("things that are named by an id are named by their kind alone", () => {
  const named = [
    ["reminder", "r_01kh"],
    ["schedule", "sch_1"],
    ["file", "f_1"],
    ["tool", "warm"],
  ].map(([kind = "", name = ""]) => shortThingWords(kind, name));
  expect(named).toEqual(["Reminder", "Scheduled task", "File", "Tool warm"]);
});
