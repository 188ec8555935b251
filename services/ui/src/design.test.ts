import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SRC = import.meta.dirname;
const all = readdirSync(SRC, { recursive: true, encoding: "utf8" });
const source = (name: string) => readFileSync(join(SRC, name), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
const TOKENS = "app/tokens.css";
const sheets = all.filter((name) => name.endsWith(".css") && name !== TOKENS);
const tokens = source(TOKENS);

interface Declaration {
  where: string;
  property: string;
  value: string;
}

const declarations = sheets.flatMap((name) =>
  [...source(name).matchAll(/(?:^|[{;])\s*(--[\w-]+|[a-z-]+)\s*:\s*([^;{}]+);/g)].map(
    ([, property = "", value = ""]): Declaration => ({ where: name, property, value: value.trim() }),
  ),
);
const said = ({ where, property, value }: Declaration) => `${where}: ${property}: ${value}`;
const wrong = (is: (one: Declaration) => boolean) => declarations.filter(is).map(said);

/** What is a token, or needs none. */
const bare = (value: string) => value.replace(/var\(--[\w-]+\)/g, "").replace(/env\([\w-]+\)/g, "");

test("the checks below look at something", () => {
  expect(declarations.length).toBeGreaterThan(800);
});

test("colours are tokens", () => {
  expect(
    wrong(({ value }) => /#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch|lab|lch)a?\(|\b(white|black|red)\b/i.test(value)),
  ).toEqual([]);
});

test("room, type, corners, weights and movement are tokens", () => {
  const properties =
    /^(padding|margin|gap|row-gap|column-gap|scroll-margin|font-size|font-weight|border-radius|transition|animation|z-index)/;
  const length = /\d(rem|px|ms|s)\b|(?<![\w.%-])[2-9]\d{2,}/;
  expect(
    wrong(
      ({ property, value }) => properties.test(property) && length.test(bare(value).replace(/\b1px\b/g, "")),
    ),
  ).toEqual([]);
});

test("other lengths are lines of up to 3 px, or stand on the grid of 4 px", () => {
  const odd = (text: string) =>
    [...bare(text).matchAll(/(\d*\.?\d+)(rem|px)\b/g)].some(([, size, unit]) =>
      unit === "px" ? ![0, 1, 2, 3, 5].includes(Number(size)) : (Number(size) * 4) % 1 !== 0,
    );
  expect(wrong(({ value }) => odd(value))).toEqual([]);
});

test("pages change their layout at the same widths", () => {
  const widths = sheets.flatMap((name) =>
    [...source(name).matchAll(/\((?:max|min)-width: [^)]*\)/g)].map(([query]) => query),
  );
  const known = ["(max-width: 575px)", "(max-width: 767px)", "(max-width: 991px)", "(min-width: 992px)"];
  expect(widths.filter((query) => ![...known, "(max-width: 1199px)"].includes(query))).toEqual([]);
});

test("every token that is used exists, and every one of ours is used", () => {
  const known = new Set([...tokens.matchAll(/^\s*(--fl-[\w-]+):/gm)].map(([, name]) => name));
  const scripts = all.filter((name) => /\.tsx?$/.test(name) && !name.endsWith("design.test.ts"));
  const text = [...sheets, ...scripts].map(source).join("\n");
  const used = new Set([...`${text}${tokens}`.matchAll(/var\((--fl-[\w-]+)\)/g)].map(([, name]) => name));
  expect([...used].filter((name) => !known.has(name))).toEqual([]);
  const series = /^--fl-chart-\d$/; // named by their number in Chart.tsx
  expect([...known].filter((name) => !used.has(name) && !series.test(name ?? ""))).toEqual([]);
});

test("dark has each colour that light has", () => {
  const colours = (scheme: string) => {
    const block = new RegExp(`\\[data-bs-theme="${scheme}"\\] \\{([^}]*)\\}`).exec(tokens)?.[1] ?? "";
    return [...block.matchAll(/(--fl-[\w-]+):/g)].map(([, name]) => name);
  };
  const same = ["--fl-on-fill", "--fl-attention-bg", "--fl-attention-text"];
  expect(colours("light").filter((name) => !colours("dark").includes(name ?? ""))).toEqual(same);
});

test("scripts name no colours: what they draw is in tokens too", () => {
  const drawing = all.filter((name) => /\.tsx?$/.test(name) && !/^contracts|\.test\./.test(name));
  expect(drawing.filter((name) => /["'`]#[0-9a-f]{6}["'`]/i.test(source(name)))).toEqual([]);
});

test("a class that brings a colour of Bootstrap's is given one of ours", () => {
  const theme = source("app/buttons.css");
  const scripts = all.filter((name) => /\.tsx$/.test(name) && !/\.test\./.test(name)).map(source);
  const colour = "(?:primary|secondary|success|danger|warning|info|light|dark)";
  const classes = new RegExp(`\\b(?:text-bg|btn-outline|btn|bg|text|border)-${colour}(?![\\w-])`, "g");
  const used = new Set(scripts.flatMap((text) => text.match(classes) ?? []));
  expect(used.size).toBeGreaterThan(5);
  const ours = (name: string) => new RegExp(`\\.${name}\\b(?!-)[^{}]*\\{[^}]*var\\(--fl-`).test(theme);
  expect([...used].filter((name) => !ours(name))).toEqual([]);
});

test("the gallery shows every shared component", () => {
  const shared = all
    .filter((name) => /^components\/\w+\.tsx$/.test(name))
    .map((name) => name.replace(/^components\/|\.tsx$/g, ""));
  const gallery = all
    .filter((name) => /^features\/gallery\/.*\.tsx$/.test(name))
    .map(source)
    .join("\n");
  expect(shared.filter((name) => !gallery.includes(`components/${name}"`))).toEqual([]);
});
