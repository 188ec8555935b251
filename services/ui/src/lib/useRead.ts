import { useEffect, useState } from "react";
import { retrying } from "./retrying";

export interface Read<T> {
  value: T | null;
  failure: unknown;
  again: () => void;
}

/**
 * Reads a value, and reads it anew whenever `read` is another function: what was read for the last one is dropped.
 * With another `revision` it is read anew too, and what was read is shown until then.
 */
export function useRead<T>(read: (signal: AbortSignal) => Promise<T>, revision: unknown = null): Read<T> {
  const [state, setState] = useState<{ of: typeof read; value: T | null; failure: unknown }>({
    of: read,
    value: null,
    failure: null,
  });
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` and `revision` read once more
  useEffect(() => {
    const reading = new AbortController();
    retrying(() => read(reading.signal)).then(
      (value) => reading.signal.aborted || setState({ of: read, value, failure: null }),
      (failure: unknown) => reading.signal.aborted || setState({ of: read, value: null, failure }),
    );
    return () => reading.abort();
  }, [read, tries, revision]);
  const current = state.of === read;
  return {
    value: current ? state.value : null,
    failure: current ? state.failure : null,
    again: () => setTries((count) => count + 1),
  };
}
