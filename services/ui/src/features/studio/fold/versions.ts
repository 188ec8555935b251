/** Which two versions are compared, and to which one can go back. Lists are newest first. */
import type { Version } from "../../../lib/wire";

/** Two versions by their events; equal where there is only one. */
export interface Pair {
  from: number;
  to: number;
}

/** What was chosen, as far as it is there; else the newest and the one before it. */
export function chosenPair(versions: readonly Version[], wanted: Partial<Pair>): Pair {
  const there = (sequence: number | undefined) =>
    versions.some((one) => one.sequence === sequence) ? sequence : undefined;
  const to = there(wanted.to) ?? versions[0]?.sequence ?? 0;
  const before = versions[versions.findIndex((one) => one.sequence === to) + 1];
  return { from: there(wanted.from) ?? before?.sequence ?? to, to };
}

/** Whether going back to the version at `index` would do anything. */
export function revertible(versions: readonly Version[], index: number): boolean {
  return index > 0 && versions[index]?.deleted === false;
}
