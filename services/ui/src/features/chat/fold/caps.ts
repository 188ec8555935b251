/** Caps on spending that stopped a turn. */

/** What to raise a cap to: twice what it is. */
export function suggested(value: unknown): number {
  return typeof value === "number" && value > 0 ? Number((value * 2).toPrecision(6)) : 1;
}
