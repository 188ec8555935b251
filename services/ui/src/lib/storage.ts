/** Whether anything can be stored: a full disk takes nothing new, and a chat would only seem to hang. */
import { Problem } from "./problems";
import { createStore } from "./store";

/** Why nothing can be stored, in the gateway's words; null: it can, or nobody knows. */
export const storage = createStore<string | null>(null);

const CHECK = "storage";
/** A page that is looked at asks so often (ms). */
export const LOOK_MS = 10_000;
/** While nothing can be stored. */
const LOOK_AGAIN_MS = 3_000;

/** Hears of a request that failed. */
export function hearFailure(error: unknown): void {
  if (error instanceof Problem && error.kind === CHECK) storage.set(() => error.message);
}

/** Asks from time to time what is wrong, as long as somebody looks; gives the way to end it. */
export function watchStorage(read: () => Promise<Readonly<Record<string, string>>>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let suspected = false;
  let over = false;

  async function look(): Promise<void> {
    if (document.visibilityState === "visible") {
      const problems = await read().catch((): Record<string, string> => ({})); // who can't be reached is told of elsewhere
      const problem = problems[CHECK] ?? null;
      // One look may only have been slow.
      if (problem === null || suspected) storage.set(() => problem);
      suspected = problem !== null;
    }
    if (!over) timer = setTimeout(look, suspected || storage.get() !== null ? LOOK_AGAIN_MS : LOOK_MS);
  }

  timer = setTimeout(look, LOOK_AGAIN_MS);
  return () => {
    over = true;
    clearTimeout(timer);
  };
}
