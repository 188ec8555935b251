import { useEffect, useState } from "react";
import { retrying } from "../../../lib/retrying";

export interface Read<T> {
  value: T | null;
  failure: unknown;
  again: () => void;
}

/** Reads a value, and reads it anew whenever `read` is another function. What was read for the last one is dropped. */
export function useRead<T>(read: (signal: AbortSignal) => Promise<T>): Read<T> {
  const [state, setState] = useState<{ of: typeof read; value: T | null; failure: unknown }>({
    of: read,
    value: null,
    failure: null,
  });
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` reads once more
  useEffect(() => {
    const reading = new AbortController();
    retrying(() => read(reading.signal)).then(
      (value) => reading.signal.aborted || setState({ of: read, value, failure: null }),
      (failure: unknown) => reading.signal.aborted || setState({ of: read, value: null, failure }),
    );
    return () => reading.abort();
  }, [read, tries]);
  const current = state.of === read;
  return {
    value: current ? state.value : null,
    failure: current ? state.failure : null,
    again: () => setTries((count) => count + 1),
  };
}
