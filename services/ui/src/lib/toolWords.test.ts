import { expect, test } from "vitest";
import { callWords, endingOf, outcomeWords, resultWords, unrunWords } from "./toolWords";

test("a call begins with what was done", () => {
  expect(callWords("web_read", { url: "https://www.example.org/a/?q=1" })).toBe(
    "Read the page example.org/a",
  );
  expect(callWords("edit_system_prompt", { operation: "append" })).toBe("Changed the prompt");
  expect(callWords("create_ui_component", { name: "todo", code: "…" })).toBe("Made the page todo");
  expect(callWords("update_tool", { name: "greet" })).toBe("Changed the tool greet");
});

test("a command is told as it is typed, and one that never ran is not told as done", () => {
  const command = "date | tee today.txt";
  expect(callWords("run_command", { command })).toBe("Ran date | tee today.txt");
  expect(unrunWords("wintermute.execute_shell", { command })).toBe("execute_shell: date | tee today.txt");
  expect(unrunWords("greet", {})).toBe("greet");
  expect(callWords("send_message", { text: "**1 of 3** Starting" })).toBe("Said 1 of 3 Starting");
});

test("a pack's tool is told by its own name", () => {
  expect(callWords("protoagent.ask_human", { question: "Merge it?" })).toBe("Asked you Merge it?");
  expect(callWords("protoagent.beads_list", {})).toBe("Used beads_list");
});

test("what a call says to people is plain, code stays as it is, and ids are left out", () => {
  expect(callWords("ask_user", { question: "**Which** [city](https://a.org)?" })).toBe(
    "Asked you Which city?",
  );
  expect(callWords("db_sql", { sql: "SELECT a || `b` * 2" })).toBe(
    "Queried the database SELECT a || `b` * 2",
  );
  expect(callWords("cancel_reminder", { id: "r_01kh" })).toBe("Cancelled the reminder");
});

test("a tool that nobody put into words is named, and long arguments are cut", () => {
  expect(callWords("greet", { who: "you" })).toBe("Used greet");
  expect(callWords("ask_user", { question: `${"why ".repeat(90)}` }).length).toBeLessThan(100);
  expect(callWords("fetch_url", null)).toBe("Fetched");
});

test("a result is told in words, never as JSON", () => {
  const told: [string, string][] = [
    ["No tool has the name kettle.", "No tool has the name kettle."],
    ["42", "42"],
    ["null", ""],
    ["true", ""],
    ['"It is\\n ready"', "It is ready"],
    ['"a long te', "a long te"],
    ['"cut in an escape \\u26', "cut in an escape"],
    ['{"ok": true}', ""],
    ['{"version": 2}', ""],
    ['{"fahrenheit": 70.7, "version": 2}', "fahrenheit: 70.7"],
    ['{"a": 1, "b": 2, "c": 3, "d": 4}', ""],
    ['{"title": "**Tea**", "version": 2}', "Tea"],
    ['{"results": [{"a": 1}, {"a": 2}], "took": 4}', "results: 2"],
    ["[1, 2]", "2 entries"],
    ['["one"]', "1 entry"],
    ['{"title": "Tea", "text": "and so on', ""],
    ['{"message": {"deep": true}}', ""],
    ["", ""],
    ["[helper] boil the water", "[helper] boil the water"],
    ["[1] says so", "[1] says so"],
    ['"Tea" is a word', '"Tea" is a word'],
    ['[{"a": 1}, {"b', ""],
  ];
  expect(told.map(([result]) => resultWords(result))).toEqual(told.map(([, words]) => words));
});

test("a call that did not succeed is never told as done", () => {
  const told = (tool: string, args: unknown, status: string, kind?: string) =>
    outcomeWords(tool, args, endingOf(status, kind));
  expect(told("set_state", { key: "colour" }, "completed")).toBe("Stored the value colour");
  expect(told("set_state", { key: "colour" }, "failed", "too_large")).toBe("Failed: set_state: colour");
  expect(told("greet", {}, "failed")).toBe("Failed: greet");
  expect(told("fetch_url", { url: "https://a.org/" }, "cancelled")).toBe("Cancelled: fetch_url: a.org");
  expect(told("run_command", { command: "ls" }, "failed", "refused")).toBe("run_command: ls");
  expect(told("github_comment", {}, "failed", "outcome_unknown")).toBe("May have run: github_comment");
});
