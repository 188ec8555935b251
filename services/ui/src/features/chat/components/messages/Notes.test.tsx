import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { StoodInNote } from "./Notes";

test("who stood in is said with why each of those before it gave no answer", () => {
  const tried = [
    {
      model: "openai/a",
      server: "openai",
      kind: "authentication" as const,
      message: "its key was refused (401)",
      key: 2,
      keys: 3,
    },
    {
      model: "openai/b",
      server: "openai",
      kind: "overloaded" as const,
      message: "its server failed (503)",
      key: 0,
      keys: 0,
    },
  ];
  const html = renderToStaticMarkup(<StoodInNote model="anthropic/c" tried={tried} />);
  const words = html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  expect(words).toContain("Answered by anthropic/c, which stood in");
  expect(words).toContain("openai/a (key 2 of 3): its key was refused (401)");
  expect(words).toContain("openai/b: its server failed (503)");
});
