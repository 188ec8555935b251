/** A table's rows in order, and as a file. */
import type { Column, Row } from "./blocks";

export interface Order {
  key: string;
  descending: boolean;
}

const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** The rows by the values of one column; those without a value stand last either way. */
export function sorted(rows: readonly Row[], order: Order | null): readonly Row[] {
  if (!order) return rows;
  const turn = order.descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [one[order.key], other[order.key]];
    const [noA, noB] = [isEmpty(a), isEmpty(b)];
    if (noA || noB) return Number(noA) - Number(noB);
    return turn * (typeof a === "number" && typeof b === "number" ? a - b : words.compare(text(a), text(b)));
  });
}

/** The next order after a press on a column's heading: up, down, as it came. */
export function pressed(order: Order | null, key: string): Order | null {
  if (order?.key !== key) return { key, descending: false };
  return order.descending ? null : { key, descending: true };
}

/** A value as it stands in a cell. */
export function text(value: unknown): string {
  if (isEmpty(value)) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * RFC 4180. What a spreadsheet would run as a formula gets an apostrophe before it: the rows may be anybody's.
 */
export function csv(columns: readonly Column[], rows: readonly Row[]): string {
  const lines = [columns.map(({ label }) => label), ...rows.map((row) => columns.map(({ key }) => row[key]))];
  return `\ufeff${lines.map((line) => line.map(csvCell).join(",")).join("\r\n")}\r\n`;
}

function csvCell(value: unknown): string {
  const plain = text(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null;
}
