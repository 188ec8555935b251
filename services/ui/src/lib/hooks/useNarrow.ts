import { useSyncExternalStore } from "react";

/** As on a phone: the widths at which style sheets lay pages out in one column. */
const NARROW = "(max-width: 767px)";

function follow(listener: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** True where there is room for one column only. */
export function useNarrow(): boolean {
  return useSyncExternalStore(follow, () => window.matchMedia(NARROW).matches);
}
