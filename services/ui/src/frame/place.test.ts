import { expect, test } from "vitest";
import { placeInMessage, placeInStack } from "./place";

test("the topmost frame of the author's code counts, less the lines put before it", () => {
  const chromium =
    "Error: no\n    at r (page-frame.html:9:1)\n    at Page (page.jsx:7:11)\n    at x (page.jsx:3:1)";
  const firefox = "Page@page.jsx:7:11\nr@http://127.0.0.1/page-frame.html:9:1";
  expect(placeInStack(chromium)).toEqual({ line: 5, column: null });
  expect(placeInStack(firefox)).toEqual({ line: 5, column: null });
});

test("a stack without the author's code has no place", () => {
  for (const stack of ["", "Error\n    at r (page-frame.html:9:1)", "at Page (page.jsx:2:1)"]) {
    expect(placeInStack(stack)).toBeNull();
  }
});

test("a parser's message ends with its place", () => {
  expect(placeInMessage("Error transforming page.jsx: Unexpected token (2:9)")).toEqual({
    line: 2,
    column: 9,
  });
  expect(placeInMessage("Unexpected token")).toBeNull();
});
