import { useCallback, useEffect, useRef, useState } from "react";
import { goInstead } from "../../../lib/route";

/** The scrubber rests so long (ms) before the page goes where it stands. */
const REST_MS = 40;

/**
 * Where the scrubber stands: at once where it was moved to, and soon the page's address (`href` of it) as well.
 * `at` is the moment that the page shows.
 */
export function useDraft(at: number | null, href: (to: number | null) => string) {
  // Where it was moved to, until that is where the page is.
  const [draft, setDraft] = useState<{ at: number | null } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page is where it was moved to, or elsewhere
  useEffect(() => {
    // What was moved on since stands until the page is there, too.
    if (timer.current === undefined) setDraft(null);
  }, [at]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const move = useCallback(
    (to: number | null) => {
      setDraft({ at: to });
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        timer.current = undefined;
        const address = href(to);
        // Not `at`: the page may be on its way elsewhere.
        if (window.location.hash === address) setDraft(null);
        else goInstead(address);
      }, REST_MS);
    },
    [href],
  );
  return { shown: draft ? draft.at : at, move };
}
