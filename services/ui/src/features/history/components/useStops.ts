import { useCallback, useEffect, useRef, useState } from "react";
import { retrying } from "../../../lib/retrying";
import { readOutline } from "../api/requests";
import { NO_STOPS, type Stops, stopsOf, withLater } from "../fold/stops";

/** Whether one can know where to stop. */
export type Known = "reading" | "read" | "unreadable";

const GATHER_MS = 400;

/** Where one can stop in a session. `follow` reads what came since, soon. */
export function useStops(sessionId: string): { stops: Stops; known: Known; follow: () => void } {
  const [stops, setStops] = useState(NO_STOPS);
  const [known, setKnown] = useState<Known>("reading");
  const last = useRef<string | null>(null);
  last.current = stops.last;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    const reading = new AbortController();
    setStops(NO_STOPS);
    setKnown("reading");
    retrying(() => readOutline(sessionId, null, reading.signal)).then(
      (outline) => {
        if (reading.signal.aborted) return;
        setStops(stopsOf(outline));
        setKnown("read");
      },
      // The timeline, read beside it, says why the gateway gives nothing.
      () => reading.signal.aborted || setKnown("unreadable"),
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
        (outline) => setStops((before) => withLater(before, outline)),
        () => {}, // The next event asks again.
      );
    }, GATHER_MS);
  }, [sessionId]);
  return { stops, known, follow };
}
