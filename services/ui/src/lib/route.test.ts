import { expect, test } from "vitest";
import { chatHref, parseRoute } from "./route";

test("a chat's address leads back to it", () => {
  expect(parseRoute(chatHref("s_01jd3"))).toEqual({ page: "chat", sessionId: "s_01jd3" });
});

test("anything else is the new chat", () => {
  for (const hash of ["", "#/", "#/s/", "#/s/a.>", "#/s/a/b", `#/s/${"x".repeat(65)}`]) {
    expect(parseRoute(hash)).toEqual({ page: "new" });
  }
});
