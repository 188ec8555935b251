import { useCallback, useEffect, useState } from "react";
import { repeating } from "../repeating";
import { retrying } from "../retrying";

export interface Read<T> {
  value: T | null;
  failure: unknown;
  again: () => void;
}

/**
 * Reads a value, again and again while it fails for a reason that may pass, and reads it anew whenever `read` is another function: what was read for the last one is dropped.
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
    const begin = () =>
      retrying(() => read(reading.signal)).then(
        (value) => reading.signal.aborted || setState({ of: read, value, failure: null }),
        (failure: unknown) => {
          if (reading.signal.aborted) return;
          setState({ of: read, value: null, failure });
          again.failed(failure);
        },
      );
    const again = repeating(() => void begin());
    void begin();
    return () => {
      again.stop();
      reading.abort();
    };
  }, [read, tries, revision]);
  const current = state.of === read;
  return {
    value: current ? state.value : null,
    failure: current ? state.failure : null,
    again: () => setTries((count) => count + 1),
  };
}

/** Reads what belongs to these arguments, likewise: with other ones what was read is dropped. */
export function useReadOf<Given extends readonly unknown[], T>(
  read: (...given: [...Given, AbortSignal]) => Promise<T>,
  given: readonly [...Given],
  revision: unknown = null,
): Read<T> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: as many arguments as `read` takes, each time
  const reading = useCallback((signal: AbortSignal) => read(...given, signal), [read, ...given]);
  return useRead(reading, revision);
}
