/** The lines around the one that an error names, and the message that tells the agent of it. */
import type { PageError } from "../../../lib/pageMessages";

export interface SourceLine {
  number: number;
  text: string;
  wrong: boolean;
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

/** What to say to the agent. */
export function report(page: { name: string; version: number }, code: string, error: PageError): string {
  const wrong = error.line === null ? undefined : code.split("\n")[error.line - 1];
  const where = whereOf(error);
  const fence = wrong?.trim() && !wrong.includes("```") ? `\n\n\`\`\`jsx\n${wrong}\n\`\`\`` : "";
  const place = where ? ` (${where})` : "";
  return `Your page "${page.name}" (version ${page.version}) threw an error${place}: ${error.message}${fence}\n\nPlease repair it.`;
}
