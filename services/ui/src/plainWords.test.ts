import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const SRC = import.meta.dirname;
const AVOIDED = (
  JSON.parse(readFileSync(join(SRC, "../../../docs/plain-words.json"), "utf8")) as {
    not: string;
    but: string;
    case?: true;
  }[]
).map(({ not, but, case: exact }) => ({ not: new RegExp(not, exact ? "" : "i"), but }));

/** Sentences that have such a word rightly, with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {};

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (name) =>
    /\.tsx?$/.test(name) &&
    !/\.test\.tsx?$|\.d\.ts$/.test(name) &&
    !/^(contracts|testing|features[\\/]gallery)[\\/]/.test(name),
);

/** What a person may read of a source: its texts between tags, and its literals that are more than one word. */
function textsOf(name: string): string[] {
  const found: string[] = [];
  const look = (node: ts.Node) => {
    if (ts.isImportDeclaration(node)) return;
    const isText =
      ts.isJsxText(node) ||
      ts.isStringLiteralLike(node) ||
      node.kind === ts.SyntaxKind.TemplateHead ||
      node.kind === ts.SyntaxKind.TemplateMiddle ||
      node.kind === ts.SyntaxKind.TemplateTail;
    if (isText) {
      const text = (node as ts.LiteralLikeNode).text.replace(/\s+/g, " ").trim();
      if (text.includes(" ")) found.push(text);
    }
    ts.forEachChild(node, look);
  };
  const kind = name.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  look(ts.createSourceFile(name, readFileSync(join(SRC, name), "utf8"), ts.ScriptTarget.Latest, true, kind));
  return found;
}

const texts = files.flatMap((name) => textsOf(name).map((text) => ({ name, text })));

test("the check below looks at something", () => {
  expect(texts.length).toBeGreaterThan(1500);
});

test("what people read is in plain words", () => {
  const found = texts.flatMap(({ name, text }) =>
    text in ALLOWED
      ? []
      : AVOIDED.filter(({ not }) => not.test(text)).map(({ but }) => `${name}: ${text} → ${but}`),
  );
  expect(found).toEqual([]);
});

test("each exception is still needed", () => {
  const said = new Set(texts.map(({ text }) => text));
  expect(Object.keys(ALLOWED).filter((text) => !said.has(text))).toEqual([]);
});
