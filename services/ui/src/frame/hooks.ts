/** What a page can do: the agent's state, its functions, a message to it. */
import { useCallback, useSyncExternalStore } from "react";
import { ask, watchState } from "./shellLink";
import { StateCells } from "./stateCells";
import { reportThrown } from "./thrown";

const cells = new StateCells({
  watch: watchState,
  write: (key, value) => ask({ kind: "write", key, value }),
  failed: reportThrown,
});

type Change<T> = T | ((before: T) => T);

/**
 * A value of the agent's state: `[value, setValue, loaded]`. It is `initial` where the state has no such key, and
 * until it is read; it follows every change, whoever makes it.
 */
export function useAgentState<T>(key: string, initial?: T): [T, (change: Change<T>) => void, boolean] {
  const subscribe = useCallback((listener: () => void) => cells.subscribe(key, listener), [key]);
  const cell = useSyncExternalStore(subscribe, () => cells.read(key));
  const write = useCallback(
    (change: Change<T>) => {
      const { value, present } = cells.read(key);
      const before = (present ? value : initial) as T;
      cells.write(key, typeof change === "function" ? (change as (before: T) => T)(before) : change);
    },
    [key, initial],
  );
  return [(cell.present ? cell.value : initial) as T, write, cell.loaded];
}

/** Call a function of the agent; rejects with what its code threw. */
export function callBackend(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  return ask({ kind: "call", name, args });
}

/** Say something to the agent, as the user. Unless the user just did something in this page, they are asked first. */
export function sendMessage(text: string): Promise<unknown> {
  return ask({ kind: "say", text: String(text) });
}

/** Answer the call of `render_and_wait` that waits for this component, by what was done; rejects if none does. */
export function callTool(action: string, payload: Record<string, unknown> = {}): Promise<unknown> {
  return ask({ kind: "act", action, payload });
}
