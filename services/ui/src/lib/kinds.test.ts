import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { inMoments, inOrder, KINDS, ofItself, saidThingWords, shortThingWords, thingWords } from "./kinds";

const SRC = join(import.meta.dirname, "..");
const CONTRACT = readFileSync(join(SRC, "contracts/api.ts"), "utf8");
const EVENTS = readFileSync(join(SRC, "contracts/events.ts"), "utf8");

/** Tables that name three kinds or more outside of `kinds`, with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  "components/Icon.tsx": "names of drawings",
  "features/history/fold/seen.ts": "parts of a prompt, as the engine names them",
  "features/studio/components/RoomView.tsx": "a kind can't name the component of its page: lib imports none",
};

test("things that are named by an id are named by their kind alone, or by what they say", () => {
  const named = [
    ["reminder", "r_01kh"],
    ["schedule", "sch_1"],
    ["file", "f_1"],
    ["tool", "warm"],
  ].map(([kind = "", name = ""]) => shortThingWords(kind, name));
  expect(named).toEqual(["Reminder", "Scheduled task", "File", "Tool warm"]);
  expect(saidThingWords("reminder", "r_1", { message: "Look" })).toBe("Reminder Look");
  expect(thingWords("notepad", "s_1")).toBe("Notepad");
  expect(thingWords("constructor", "x")).toBe("Constructor x");
});

test("each kind is in a file of its name, and in the order of its group", () => {
  const files = readdirSync(join(SRC, "lib/kinds")).map((name) => name.replace(/\.ts$/, ""));
  expect(Object.keys(KINDS).sort()).toEqual(files.sort());
  const titles = (kinds: ReturnType<typeof inOrder>) => kinds.map(({ kind }) => kind).join(" ");
  expect(titles(inOrder("made"))).toBe("tool function library component skill playbook");
  expect(titles(inMoments())).toBe(
    "prompt notes state tool function library component skill playbook file database schedule reminder",
  );
  expect(ofItself()).toEqual(inMoments());
});

test("the gateway has the addresses that a page of a kind needs, and the log has the kind", () => {
  for (const { kind, only, page } of Object.values(KINDS)) {
    const settings = kind === "database" || kind === "delegates"; // rows and a setting, no things of the log
    if (!settings) expect(EVENTS, kind).toMatch(new RegExp(`EntityKind: .*"${kind}"`));
    if (!page) continue;
    const all = `"/api/v1/agents/{agent_id}/${page.path}`;
    const one = new RegExp(
      `${all.replaceAll("{", "\\{").replaceAll("}", "\\}")}${only ? "" : "/\\{\\w+\\}"}`,
    );
    expect(CONTRACT.includes(`${all}"`), kind).toBe(true);
    if (page.versions) {
      expect(CONTRACT, kind).toMatch(new RegExp(`${one.source}/versions"`));
      expect(CONTRACT, kind).toMatch(new RegExp(`${one.source}:revert"`));
    }
    const switched = page.path[0]?.toUpperCase().concat(page.path.slice(1, -1));
    if (page.switchable) expect(CONTRACT, kind).toContain(`patch: operations["switch${switched}"]`);
    if (page.runnable) expect(CONTRACT, kind).toMatch(new RegExp(`${one.source}:test"`));
  }
});

/** What a table, a list, a choice of cases or a type names. */
function namesIn(node: ts.Node): string[] {
  const literal = (one: ts.Node | undefined) =>
    one && (ts.isStringLiteralLike(one) || ts.isIdentifier(one)) ? [one.text] : [];
  if (ts.isObjectLiteralExpression(node))
    return node.properties.flatMap((one) => (ts.isPropertyAssignment(one) ? literal(one.name) : []));
  if (ts.isArrayLiteralExpression(node)) return node.elements.filter(ts.isStringLiteralLike).flatMap(literal);
  if (ts.isCaseBlock(node))
    return node.clauses.flatMap((one) => (ts.isCaseClause(one) ? literal(one.expression) : []));
  if (ts.isUnionTypeNode(node))
    return node.types.flatMap((one) => (ts.isLiteralTypeNode(one) ? literal(one.literal) : []));
  return [];
}

test("nothing else lists kinds", () => {
  const words = new Set(
    Object.values(KINDS).flatMap(({ kind, page }) => [kind, ...(page ? [page.path] : [])]),
  );
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
    (name) =>
      /\.tsx?$/.test(name) && !/\.test\.|^(contracts|testing|lib\/kinds|features\/gallery)\//.test(name),
  );
  const found = new Map<string, string[]>();
  for (const name of files) {
    const source = readFileSync(join(SRC, name), "utf8");
    if (new Set(source.match(/\w+/g)?.filter((one) => words.has(one))).size < 3) continue;
    const kind = name.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    const look = (node: ts.Node): void => {
      const named = [...new Set(namesIn(node))].filter((one) => words.has(one));
      if (named.length >= 3) found.set(name, [...(found.get(name) ?? []), ...named]);
      ts.forEachChild(node, look);
    };
    look(ts.createSourceFile(name, source, ts.ScriptTarget.Latest, false, kind));
  }
  const wrong = [...found].filter(([name]) => !(name in ALLOWED));
  expect(wrong).toEqual([]);
  expect(Object.keys(ALLOWED).filter((name) => !found.has(name))).toEqual([]);
});
