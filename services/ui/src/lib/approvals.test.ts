import { expect, test } from "vitest";
import { commandIn, coverWords, decisionIn } from "./approvals";

test.each([
  [{ command: "ls -l" }, { command: "ls -l", others: null }],
  [
    { command: "ls", cwd: "notes" },
    { command: "ls", others: { cwd: "notes" } },
  ],
  [{ command: "ls \u202e# dlrow" }, null],
  [{ command: "ls\u200b" }, null],
  [{ command: " " }, null],
  [{ command: ["ls"] }, null],
  [{ code: "1" }, null],
])("a command is shown as it is typed only where all of it can be seen: %j", (args, shown) => {
  expect(commandIn(args)).toEqual(shown);
});

test.each([
  [{ decision: "once" }, "once"],
  [{ decision: "commands" }, "commands"],
  [{ decision: "refuse", reason: "no" }, "refuse"],
  [{ decision: "yes" }, "refuse"],
  [{}, "refuse"],
  [null, "refuse"],
  ["once", "refuse"],
])("what is not plainly a yes is a no: %j", (response, decision) => {
  expect(decisionIn(response).decision).toBe(decision);
});

test.each([
  [{ tool: "notes\\_add", server: "notes" }, "notes_add of notes"],
  [
    { tool: "fetch_url", host: "a.test", method: "POST", scheme: "https" },
    "fetch_url: POST to https://a.test",
  ],
  [{ tool: "fetch_url", host: "a.test:8080", scheme: "http" }, "fetch_url: http://a.test:8080"],
  [{ tool: "run_command", command: "make \\*" }, "run_command: make *"],
  [{ tool: "run_command" }, "every call of run_command"],
])("what a longer yes allows is told with all that it says: %j", (covers, words) => {
  expect(coverWords(covers)).toBe(words);
});
