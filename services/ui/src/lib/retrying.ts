import { backOff } from "./backOff";
import { newKey } from "./newKey";
import { isPassing } from "./problems";
import { sooner } from "./sooner";

/** Try up to `tries` times while the failure is a passing one, with growing waits. The action must bear repetition. */
export async function retrying<T>(action: () => Promise<T>, tries = 4, wait = pause): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (attempt + 1 >= tries || !isPassing(error)) throw error;
      await wait(backOff(attempt, Math.random()));
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void sooner(ms, resolve));
}

/** A write, tried again while that may help: under one key, so that a repeat never writes a second time. */
export function written<T>(write: (header: { "Idempotency-Key": string }) => Promise<T>): Promise<T> {
  const header = { "Idempotency-Key": newKey() };
  return retrying(() => write(header));
}
