/** A value as the texts that a person reads, compares and edits; and from edited texts to what is sent. */
import { pretty } from "../../../lib/jsonText";
import type { Kind, KindPart } from "../../../lib/kind";
import { isMembers } from "../../../lib/shape";

export interface Part extends KindPart {
  text: string;
}

/** The parts of a value; of none (it was deleted then), the same parts, empty. */
export function partsOf({ page }: Kind, value: unknown): Part[] {
  const parts = page?.parts ?? [];
  const whole = parts.length === 1 && parts[0]?.id === page?.value;
  return parts.map((part) => {
    const member = whole ? value : isMembers(value) ? value[part.id] : undefined;
    return { ...part, text: textOf(part, member) };
  });
}

function textOf({ language, list, sparse, id }: KindPart, value: unknown): string {
  if (value === undefined || (value === null && id !== "value")) return "";
  if (Array.isArray(value) && list) return value.join(", ");
  return language === "json" ? JSON.stringify(value, sparse ? withoutNull : undefined, 2) : pretty(value);
}

const withoutNull = (_: string, value: unknown) => value ?? undefined;

/** The texts of parts, by their ids. */
export function textsOf(parts: readonly Part[]): Record<string, string> {
  return Object.fromEntries(parts.map(({ id, text }) => [id, text]));
}

export interface Difference {
  label: string;
  before: string;
  after: string;
}

/** Where two values differ, part by part; whether it is enabled is one of them, where it can be switched. */
export function differences(kind: Kind, before: unknown, after: unknown): Difference[] {
  const comparable = (value: unknown): Part[] => [
    ...partsOf(kind, value),
    {
      ...{ id: "enabled", label: "Enabled", language: "line" },
      text: isMembers(value) && "enabled" in value ? (value.enabled ? "yes" : "no") : "",
    },
  ];
  const old = textsOf(comparable(before));
  return comparable(after)
    .map(({ id, label, text }) => ({ label, before: old[id] ?? "", after: text }))
    .filter((one) => one.before !== one.after);
}

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
  for (const { id, language, text, list, optional } of parts) {
    if (language !== "json") {
      members[id] = list ? wordsOf(text) : text;
      continue;
    }
    if (optional && !text.trim()) continue;
    try {
      members[id] = JSON.parse(text);
    } catch (error) {
      return { flaw: { part: id, message: jsonFlaw(text, error), ...jsonPlace(text, error) } };
    }
  }
  return { members };
}

/** Words with commas between them. */
function wordsOf(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
}

/** What the gateway said is wrong with what was sent; its part is null if it is not about one of them. */
export function flawOf(message: string, more: Readonly<Record<string, unknown>>): Flaw {
  const { path, line, column } = more;
  const part = typeof path === "string" ? (path.split("/")[1] ?? null) : null;
  return { part: part || null, message, line: number(line), column: number(column) };
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

/** Where code begins to be wrong, as the editor marks it. */
export const markOf = (flaw: Flaw | null) =>
  flaw?.line ? { line: flaw.line, column: flaw.column ?? 1, message: flaw.message } : null;
