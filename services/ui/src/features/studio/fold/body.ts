/** From edited texts to what is sent. */
import type { Part } from "./parts";

/** What is wrong with a text, and where, from line and column 1; without a place where that isn't known. */
export interface Flaw {
  part: string | null;
  message: string;
  line: number | null;
  column: number | null;
}

/** The members that the parts stand for, or the first that is no JSON. */
export function membersOf(parts: readonly Part[]): { members: Record<string, unknown> } | { flaw: Flaw } {
  const members: Record<string, unknown> = {};
  for (const { id, language, text } of parts) {
    if (language !== "json") {
      members[id] = id === "tags" ? tags(text) : text;
      continue;
    }
    if ((id === "props_schema" || id === "examples") && !text.trim()) continue;
    try {
      members[id] = JSON.parse(text);
    } catch (error) {
      return { flaw: { part: id, message: jsonFlaw(text, error), ...jsonPlace(text, error) } };
    }
  }
  return { members };
}

/** What the gateway said is wrong with what was sent; null if it is not about a part of it. */
export function flawOf(message: string, more: Readonly<Record<string, unknown>>): Flaw {
  const { path, line, column } = more;
  const part = typeof path === "string" ? (path.split("/")[1] ?? null) : null;
  return { part: part || null, message, line: number(line), column: number(column) };
}

function tags(text: string): string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
}

function number(value: unknown): number | null {
  return typeof value === "number" && value >= 1 ? value : null;
}

function jsonFlaw(text: string, error: unknown): string {
  if (!text.trim()) return "This is empty. It must be JSON.";
  return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
}

/** Where the parser stopped, if it says so: browsers name a line and a column, a position, or nothing. */
function jsonPlace(text: string, error: unknown): { line: number | null; column: number | null } {
  const words = error instanceof Error ? error.message : "";
  const named = /line (\d+) column (\d+)/.exec(words);
  if (named) return { line: Number(named[1]), column: Number(named[2]) };
  const position = /position (\d+)/.exec(words);
  if (!position) return { line: null, column: null };
  const lines = text.slice(0, Number(position[1])).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
