/** How much of something a page may do: so many at once, and then so many a second. */
export interface Allowance {
  left: number;
  /** When `left` was counted, in ms. */
  at: number;
}

export interface Rate {
  burst: number;
  perSecond: number;
}

export const full = (rate: Rate): Allowance => ({ left: rate.burst, at: 0 });

/** The allowance after one more; null where there is none left at that time. */
export function spend(allowance: Allowance, rate: Rate, now: number): Allowance | null {
  const gained = (Math.max(0, now - allowance.at) / 1000) * rate.perSecond;
  const left = Math.min(rate.burst, allowance.left + gained);
  return left < 1 ? null : { left: left - 1, at: now };
}
