import { backOff } from "./backOff";
import { isPassing } from "./problems";
import { sooner } from "./sooner";

/** A read that has failed several times begins with this wait: 3 to 6 s. */
const FIRST = 4;

/** Repeats a read until it is done or refused. */
export interface Repeating {
  /** It failed: if that may pass, it is run again after a while, or as soon as the browser is back. */
  failed(error: unknown): void;
  /** It is done, or not wanted any more. */
  stop(): void;
}

export function repeating(run: () => void): Repeating {
  let attempt = FIRST;
  let giveUp = () => {};
  return {
    failed(error) {
      giveUp();
      if (!isPassing(error)) return;
      giveUp = sooner(backOff(attempt, Math.random()), run);
      attempt += 1;
    },
    stop() {
      giveUp();
      attempt = FIRST;
    },
  };
}
