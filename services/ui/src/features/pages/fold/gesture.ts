/**
 * Whether the user just did something in a page. Browsers tell a page's surroundings of what is done inside of it,
 * but what is done around it counts as well: then it can't be told apart, and the answer is no.
 */

/** For so long (ms) browsers take something done as the reason of what follows; and a little more. */
export const LASTS_MS = 6_000;

export interface Done {
  /** The browser says that something was done. */
  active: boolean;
  /** The keyboard's focus is in the page: where it is after a press there. */
  focused: boolean;
  /** When the shell itself last saw a key or a press, in ms. */
  own: number;
}

/** Whether it was done in the page, for certain, as of `now` (ms). */
export function wasInPage({ active, focused, own }: Done, now: number): boolean {
  return active && focused && now - own > LASTS_MS;
}
