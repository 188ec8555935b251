import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const SRC = import.meta.dirname;
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
const source = (name: string) => readFileSync(join(SRC, name), "utf8");

/** What a file imports from within src, as paths relative to it. */
function imports(name: string): string[] {
  const found = source(name).matchAll(/from "(\.[^"]+)"|import "(\.[^"]+)"/g);
  return [...found].map((match) => relative(SRC, resolve(SRC, dirname(name), match[1] ?? match[2] ?? "")));
}

const edges = files
  .filter((name) => !/\.test\.tsx?$/.test(name))
  .flatMap((name) => imports(name).map((target) => ({ name, target })));
const feature = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1] ?? null;

test("the checks below look at something", () => {
  expect(edges.length).toBeGreaterThan(100);
});

test("features don't import each other", () => {
  const wrong = edges.filter(
    ({ name, target }) => feature(name) && feature(target) && feature(name) !== feature(target),
  );
  expect(wrong).toEqual([]);
});

test("imports go one way: app, then features, then components, then lib, then contracts", () => {
  const layers = ["contracts/", "lib/", "components/", "features/", "app/", "main.tsx", "frame/"];
  const layer = (path: string) => layers.findIndex((prefix) => path.startsWith(prefix));
  const wrong = edges.filter(({ name, target }) => layer(name) >= 0 && layer(target) > layer(name));
  expect(wrong).toEqual([]);
});

test("the pages' frame shares with the shell only components, lib and styles", () => {
  const wrong = edges.filter(
    ({ name, target }) => name.startsWith("frame/") && !/^(frame|components|lib)\/|\.css$|^\.\./.test(target),
  );
  expect(wrong).toEqual([]);
});

test("folds are pure: they import types, lib and other folds, no requests and no components", () => {
  const wrong = edges.filter(
    ({ name, target }) =>
      /\/fold\//.test(name) && /\/(api|components)\/|lib\/(http|eventFeed|store)/.test(target),
  );
  expect(wrong).toEqual([]);
});

test("no file only passes on what others export", () => {
  const barrels = files.filter(
    (name) => /^export (\*|\{[^}]*\}) from/m.test(source(name)) || /(^|\/)index\.tsx?$/.test(name),
  );
  expect(barrels).toEqual([]);
});

test("no file is longer than 300 lines but generated ones and tests", () => {
  const long = files.filter(
    (name) => !/^contracts|\.test\./.test(name) && source(name).split("\n").length > 300,
  );
  expect(long).toEqual([]);
});

test("the page has no inline script and no inline style: the content security policy forbids them", () => {
  const html = readFileSync(join(SRC, "../index.html"), "utf8");
  expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*src=)/);
});

test("the lock names no addresses: `npm run lock` makes it so", () => {
  const lock = readFileSync(join(SRC, "../package-lock.json"), "utf8");
  expect(lock.split("\n").filter((line) => /https?:\/\//.test(line))).toEqual([]);
});
