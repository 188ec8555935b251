import { expect, test } from "vitest";
import type { FileFacts } from "../../../lib/wire";
import { sinceThen } from "./files";

const file = (file_id: string, change: Partial<FileFacts> = {}): FileFacts => ({
  ...{ file_id, path: `${file_id}.txt`, media_type: "text/plain", size: 3, version: 1, agent_id: "main" },
  ...{ scope: "agent", session_id: null, sha256: "aa", source: "tool", made_from: null },
  updated_at: "2025-01-06T12:00:05Z",
  ...change,
});

test("of each file that was there it is said what has become of it", () => {
  const then = ["same", "changed", "renamed", "deleted"].map((id) => file(id));
  const now = [
    file("same"),
    file("changed", { version: 3 }),
    file("renamed", { version: 2, path: "other.txt" }),
    file("new"),
  ];
  expect(sinceThen(then, now).map(({ file: { file_id }, since }) => [file_id, since])).toEqual([
    ["same", null],
    ["changed", "changed: version 3 now"],
    ["renamed", "renamed to other.txt"],
    ["deleted", "deleted"],
  ]);
});
