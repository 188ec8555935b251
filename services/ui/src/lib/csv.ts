/** Rows as a file that spreadsheets open. */

/** A value as it stands in a cell. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * RFC 4180, the headings first. What a spreadsheet would run as a formula gets an apostrophe before it: the rows may
 * be anybody's.
 */
export function csv(lines: readonly (readonly unknown[])[]): string {
  return `${lines.map((line) => line.map(csvCell).join(",") || emptyLine(line)).join("\r\n")}\r\n`;
}

/** Readers skip a line with nothing in it: a single empty cell is written in quotes. */
const emptyLine = (line: readonly unknown[]): string => (line.length === 1 ? '""' : "");

/** The mark by which spreadsheets know a file for UTF-8. */
export const BYTE_ORDER_MARK = "\ufeff";

function csvCell(value: unknown): string {
  const plain = cellText(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
