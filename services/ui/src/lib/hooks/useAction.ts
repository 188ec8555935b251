import { useEffect, useRef, useState } from "react";

export interface Action {
  working: boolean;
  failure: unknown;
  /** Start it, unless one is running; `then` gets what it came to, `fail` what it failed with. */
  run<T>(action: () => Promise<T>, then?: (value: T) => void, fail?: (failure: unknown) => void): void;
  forget(): void;
}

/** One thing at a time that the user started, and what became of it. */
export function useAction(): Action {
  const [state, setState] = useState<{ working: boolean; failure: unknown }>({
    working: false,
    failure: null,
  });
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  return {
    ...state,
    run(action, then, fail) {
      if (state.working) return;
      setState({ working: true, failure: null });
      action().then(
        (value) => {
          if (!shown.current) return;
          setState({ working: false, failure: null });
          then?.(value);
        },
        (failure: unknown) => {
          if (!shown.current) return;
          setState({ working: false, failure });
          fail?.(failure);
        },
      );
    },
    forget: () => setState({ working: false, failure: null }),
  };
}
