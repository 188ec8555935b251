/** A table's rows in order, and as a file. */
import { BYTE_ORDER_MARK, cellText, csv } from "../../../lib/csv";
import type { Order } from "../../../lib/ordering";
import type { Column, Row } from "./blocks";

const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** The rows by the values of one column; those without a value stand last either way. */
export function sorted(rows: readonly Row[], order: Order | null): readonly Row[] {
  if (!order) return rows;
  const turn = order.descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [one[order.column], other[order.column]];
    const [noA, noB] = [isEmpty(a), isEmpty(b)];
    if (noA || noB) return Number(noA) - Number(noB);
    return (
      turn *
      (typeof a === "number" && typeof b === "number" ? a - b : words.compare(cellText(a), cellText(b)))
    );
  });
}

/** All of it as a file. */
export function asCsv(columns: readonly Column[], rows: readonly Row[]): string {
  const lines = [columns.map(({ label }) => label), ...rows.map((row) => columns.map(({ key }) => row[key]))];
  return BYTE_ORDER_MARK + csv(lines);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null;
}
