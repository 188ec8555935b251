import { expect, test } from "vitest";
import type { McpPrompt } from "../../../lib/wire";
import { askedFor, fitting } from "./prompts";

const prompt = (server: string, name: string, description = ""): McpPrompt => ({
  server,
  name,
  title: "",
  description,
  arguments: [],
});

test("a prompt is asked for by one word after a slash at the beginning, and by nothing else", () => {
  expect(["/", "/Rev", "/a/b"].map(askedFor)).toEqual(["", "rev", "a/b"]);
  expect(["", "a /", " /x", "/x y", "/x\n", "1/2"].map(askedFor)).toEqual(Array(6).fill(null));
});

test("those fit whose name begins so, then those that hold it, and no others", () => {
  const all = [
    prompt("lib", "summary", "Reviews in short."),
    prompt("lib", "code_review"),
    prompt("lib", "review"),
    prompt("reviews", "make"),
    prompt("lib", "other"),
  ];
  expect(fitting(all, "review").map(({ name }) => name)).toEqual([
    "review",
    "code_review",
    "make",
    "summary",
  ]);
  expect(fitting(all, "")).toHaveLength(5);
});
