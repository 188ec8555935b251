/** A value that changes, and those who want to know. Fits React's useSyncExternalStore. */
export interface Store<T> {
  get(): T;
  /** Change the value; listeners hear at once, or with `soon` together with other changes of the same frame. */
  set(change: (value: T) => T, when?: "now" | "soon"): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  let scheduled = false;
  const listeners = new Set<() => void>();

  function notify(): void {
    scheduled = false;
    for (const listener of listeners) listener();
  }

  return {
    get: () => value,
    set(change, when = "now") {
      const next = change(value);
      if (Object.is(next, value)) return;
      value = next;
      if (when === "now") notify();
      else if (!scheduled) {
        scheduled = true;
        soon(() => scheduled && notify());
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** In the next frame; a hidden page has no frames, so there a timer does it. */
function soon(action: () => void): void {
  if (document.visibilityState === "hidden") setTimeout(action, 50);
  else requestAnimationFrame(action);
}
