const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 15_000;

/** How long (ms) to wait before try number `attempt` (from 0): doubling, capped, with `spread` in 0…1 as jitter. */
export function backOff(attempt: number, spread: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return longest / 2 + (longest / 2) * spread;
}
