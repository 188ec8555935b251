import { useCallback, useEffect, useRef, useState } from "react";
import { retrying } from "../../../lib/retrying";
import { readOutline } from "../api/requests";
import { NO_STOPS, type Stops, stopsOf, withLater } from "../fold/stops";

const GATHER_MS = 400;

/** Where one can stop in a session. `follow` reads what came since, soon. */
export function useStops(sessionId: string): { stops: Stops; follow: () => void } {
  const [stops, setStops] = useState(NO_STOPS);
  const last = useRef<string | null>(null);
  last.current = stops.last;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    const reading = new AbortController();
    setStops(NO_STOPS);
    retrying(() => readOutline(sessionId, null, reading.signal)).then(
      (outline) => reading.signal.aborted || setStops(stopsOf(outline)),
      () => {}, // The timeline, read beside it, says why the gateway gives nothing.
    );
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      reading.abort();
    };
  }, [sessionId]);
  const follow = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      readOutline(sessionId, last.current, new AbortController().signal).then(
        (outline) => setStops((known) => withLater(known, outline)),
        () => {}, // The next event asks again.
      );
    }, GATHER_MS);
  }, [sessionId]);
  return { stops, follow };
}
