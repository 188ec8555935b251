import { expect, test } from "vitest";
import { type Folder, filesIn, fileTree, holds } from "./fileTree";

const tree = (...paths: string[]) => fileTree(paths.map((path) => ({ path })));
const drawn = ({ name, folders, files }: Folder<{ path: string }>): unknown => [
  name,
  ...folders.map(drawn),
  ...files.map(({ path }) => path),
];

test("files stand in their folders, folders by name and before files", () => {
  expect(drawn(tree("b.txt", "out/b/2.csv", "out/a/1.csv", "out/a/0.csv"))).toEqual([
    "",
    ["out", ["a", "out/a/1.csv", "out/a/0.csv"], ["b", "out/b/2.csv"]],
    "b.txt",
  ]);
  expect(drawn(tree())).toEqual([""]);
});

test("folders that hold nothing but a folder are one line", () => {
  expect(drawn(tree("a/b/c/one.txt", "a/b/c/d/two.txt"))).toEqual([
    "",
    ["a/b/c", ["d", "a/b/c/d/two.txt"], "a/b/c/one.txt"],
  ]);
});

test("files of one path in several chats are each there, and odd names are names", () => {
  expect(drawn(tree("x/a", "x/a", "__proto__/a", "constructor"))).toEqual([
    "",
    ["__proto__", "__proto__/a"],
    ["x", "x/a", "x/a"],
    "constructor",
  ]);
});

test("a folder knows how many files it holds, and which", () => {
  const [out] = tree("out/a/1.csv", "out/2.csv", "outer/3.csv").folders;
  expect(
    out && [filesIn(out), holds(out, "out/a/1.csv"), holds(out, "outer/3.csv"), holds(out, null)],
  ).toEqual([2, true, false, false]);
});

test("very deep paths and very many files are drawn as well", () => {
  const deep = Array.from({ length: 400 }, (_, depth) => `${"a/".repeat(depth)}f${depth}`);
  expect(filesIn(tree(...deep))).toBe(400);
  expect(filesIn(tree(...Array.from({ length: 5_000 }, (_, at) => `d${at % 70}/f${at}`)))).toBe(5_000);
});
