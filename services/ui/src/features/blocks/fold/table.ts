/** A table's rows in order, and as a file. */
import { BYTE_ORDER_MARK, cellText, csv } from "../../../lib/csv";
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
    return (
      turn *
      (typeof a === "number" && typeof b === "number" ? a - b : words.compare(cellText(a), cellText(b)))
    );
  });
}

/** The next order after a press on a column's heading: up, down, as it came. */
export function pressed(order: Order | null, key: string): Order | null {
  if (order?.key !== key) return { key, descending: false };
  return order.descending ? null : { key, descending: true };
}

/** All of it as a file. */
export function asCsv(columns: readonly Column[], rows: readonly Row[]): string {
  const lines = [columns.map(({ label }) => label), ...rows.map((row) => columns.map(({ key }) => row[key]))];
  return BYTE_ORDER_MARK + csv(lines);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null;
}
