import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { PATHS } from "./lib/route";

const SRC = import.meta.dirname;
const all = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name));
const files = all.filter((name) => /\.tsx?$/.test(name));
const source = (name: string) => readFileSync(join(SRC, name), "utf8");

/** What a file imports from within src, types and what it loads later too, as paths relative to src. */
function imports(name: string): string[] {
  const found = source(name).matchAll(/(?:from|import) "(\.[^"]+)"|import\("(\.[^"]+)"\)/g);
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

test("a feature has what it asks, what it knows, what it shows, and its looks", () => {
  const strange = all.filter(
    (name) =>
      feature(name) &&
      !/^features\/[a-z]+\/((api|fold|components(\/[a-z]+)?)\/\w+(\.\w+)+|[a-zA-Z]+\.css)$/.test(name),
  );
  expect(strange).toEqual([]);
});

test("looks stand beside what they are of: the app has only the theme, buttons and the shell", () => {
  const sheets = all.filter((name) => name.endsWith(".css"));
  const home = (name: string) => /^(features\/[a-z]+|components|app|frame)\/\w+\.css$/.test(name);
  expect(sheets.filter((name) => !home(name))).toEqual([]);
  expect(sheets.filter((name) => name.startsWith("app/")).sort()).toEqual([
    "app/buttons.css",
    "app/shell.css",
    "app/theme.css",
    "app/tokens.css",
  ]);
  const imported = new Set(edges.map(({ target }) => target));
  expect(sheets.filter((name) => !imported.has(name))).toEqual([]);
});

test("no imports go round in a circle", () => {
  const named = new Map(files.map((name) => [name.replace(/\.tsx?$/, ""), name]));
  const next = (name: string) => imports(name).flatMap((target) => named.get(target) ?? []);
  const done = new Set<string>();
  const circles: string[] = [];
  function visit(name: string, path: readonly string[]): void {
    if (path.includes(name)) circles.push([...path.slice(path.indexOf(name)), name].join(" -> "));
    if (done.has(name) || path.includes(name)) return;
    for (const target of next(name)) visit(target, [...path, name]);
    done.add(name);
  }
  for (const name of files) visit(name, []);
  expect(circles).toEqual([]);
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
      /\/fold\//.test(name) && /\/(api|components)\/|lib\/(api|live|store|modelCall)/.test(target),
  );
  expect(wrong).toEqual([]);
});

test("requests go through one client, live events through one connection", () => {
  const holding = (words: RegExp) =>
    files.filter((name) => !/\.test\.|^testing\/|^contracts\//.test(name) && words.test(source(name)));
  expect(holding(/\bfetch\(|openapi-fetch"/)).toEqual(["lib/api.ts"]);
  expect(holding(/parseAs: "stream"|EventSource\b/)).toEqual(["lib/live/stream.ts"]);
  expect(holding(/\bopenLive\(/)).toEqual([
    ...["lib/live/live.ts", "lib/live/lockLine.ts", "lib/live/openLive.ts", "lib/live/worker.ts"],
  ]);
});

test("one file knows which keys an input method takes and where a person types", () => {
  const deciding = files.filter(
    (name) => !/\.test\./.test(name) && /\.isComposing|keyCode|nativeEvent\.is/.test(source(name)),
  );
  expect(deciding).toEqual(["lib/typing.ts"]);
});

test("every address of a page is in the table of routes", () => {
  const keys = Object.keys(PATHS);
  const table = source("app/routes.tsx");
  expect(keys.filter((key) => !new RegExp(`path: PATHS\\.${key},`).test(table))).toEqual([]);
});

test("contracts are generated, and whoever changes them by hand is told", () => {
  const contracts = files.filter((name) => name.startsWith("contracts/"));
  expect(contracts.sort()).toEqual(["contracts/api.ts", "contracts/events.ts", "contracts/providers.ts"]);
  for (const name of contracts) {
    expect(source(name)).toMatch(/^\/\/ Generated by `npm run contracts`\. Do not edit\.\n/);
    expect(imports(name)).toEqual([]);
  }
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

test("no style sheet is longer than 300 lines", () => {
  const long = all.filter((name) => name.endsWith(".css") && source(name).split("\n").length > 300);
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
