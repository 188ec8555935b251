/** Rows of a database, as people look at them. */
import type { Order } from "../../../lib/ordering";

/** Rows at once. */
export const ROWS = 50;
/** Characters of a value that come with its row. */
export const CELL = 300;
/** Columns at once: more would make the page slow. */
export const COLUMNS = 100;
/** Characters of a value that stand in its row. */
const SHORT = 120;
/** Bytes of a blob that are shown. */
const HEX = 4_096;

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The statement that reads a table's rows after the first `first`. */
export function tableQuery(table: string, order: Order | null, first: number): string {
  const by = order ? ` ORDER BY ${quoted(order.column)}${order.descending ? " DESC" : ""}` : "";
  return `SELECT * FROM ${quoted(table)}${by} LIMIT -1 OFFSET ${first}`;
}

export interface Cell {
  kind: "null" | "number" | "text" | "blob";
  text: string;
  /** Characters or bytes that it has in all. */
  size: number;
  /** There is more than `text` shows. */
  more: boolean;
}

/** A value in its row. */
export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return { kind: "null", text: "", size: 0, more: false };
  if (typeof value === "number") return { kind: "number", text: String(value), size: 0, more: false };
  const { beginning, size } = uncut(value);
  if (typeof beginning !== "string") {
    const bytes = size ?? bytesOf(value).length;
    return { kind: "blob", text: "", size: bytes, more: bytes > 0 };
  }
  const all = size ?? beginning.length;
  return { kind: "text", text: beginning.slice(0, SHORT), size: all, more: all > SHORT };
}

/** A whole value as text: of a blob its bytes, the first of them. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return isBlob(value) ? hexOf(bytesOf(value).subarray(0, HEX)) : String(value);
}

export const isBlob = (value: unknown): value is { $base64: string } =>
  typeof value === "object" && value !== null && "$base64" in value;

/** The bytes of a blob, or those of a text. */
export function bytesOf(value: unknown): Uint8Array<ArrayBuffer> {
  if (!isBlob(value)) return new TextEncoder().encode(String(value ?? ""));
  return Uint8Array.from(atob(value.$base64), (one) => one.charCodeAt(0));
}

function uncut(value: unknown): { beginning: unknown; size: number | null } {
  if (typeof value === "object" && value !== null && "$cut" in value && "size" in value)
    return { beginning: value.$cut, size: Number(value.size) };
  return { beginning: value, size: null };
}

/** Sixteen bytes a line, with where they stand and what of them can be read. */
function hexOf(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const line = [...bytes.subarray(at, at + 16)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const read = line.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(8, "0")}  ${hex.padEnd(47)}  ${read}`);
  }
  return lines.join("\n");
}
