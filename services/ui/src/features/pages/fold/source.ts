/** The lines around the one that an error names, and the message that tells the agent of it. */
import type { PageError } from "../../../lib/pageMessages";

const AROUND = 2;

export interface SourceLine {
  number: number;
  text: string;
  wrong: boolean;
}

/** The line that an error names with those around it; none if nobody knows which. */
export function linesAround(code: string, line: number | null): SourceLine[] {
  if (line === null) return [];
  return sourceLines(code, line).slice(Math.max(0, line - 1 - AROUND), line + AROUND);
}

/** All lines of the code, counted from 1. */
export function sourceLines(code: string, line: number | null): SourceLine[] {
  return code.split("\n").map((text, at) => ({ number: at + 1, text, wrong: at + 1 === line }));
}

/** Where, in words; empty if nobody knows. */
export function whereOf({ line, column }: PageError): string {
  if (line === null) return "";
  return column === null ? `line ${line}` : `line ${line}, column ${column}`;
}

/** What to say to the agent; a component that was written in its call has no version. */
export function report(page: { name: string; version: number }, code: string, error: PageError): string {
  const wrong = error.line === null ? undefined : code.split("\n")[error.line - 1];
  const where = whereOf(error);
  const fence = wrong?.trim() && !wrong.includes("```") ? `\n\n\`\`\`jsx\n${wrong}\n\`\`\`` : "";
  const place = where ? ` (${where})` : "";
  const version = page.version ? ` (version ${page.version})` : "";
  return `Your ${page.version ? "page" : "component"} "${page.name}"${version} threw an error${place}: ${error.message}${fence}\n\nPlease repair it.`;
}
