import { useCallback, useEffect, useRef, useState } from "react";
import { live } from "../../../lib/live/live";
import { repeating } from "../../../lib/repeating";
import { retrying } from "../../../lib/retrying";
import type { TimelineGroup } from "../../../lib/wire";
import { readTimeline } from "../api/requests";
import { begun, type EventList, withNewer, withOlder } from "../fold/list";

/** Events that come together are read together (ms). */
const GATHER_MS = 300;
/** A hidden history goes without live events after this long (ms). */
const HIDDEN_MS = 5_000;

export interface TimelineState {
  list: EventList | null;
  failure: unknown;
  loading: boolean;
  loadOlder: () => void;
  reload: () => void;
}

/** The events of a session, newest first, page by page; what happens meanwhile is put before them. */
export function useTimeline(sessionId: string, group: TimelineGroup | null): TimelineState {
  const [list, setList] = useState<EventList | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [loading, setLoading] = useState(false);
  const [tries, setTries] = useState(0);
  const busy = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` reads once more
  useEffect(() => {
    const reading = new AbortController();
    const { signal } = reading;
    let timer: ReturnType<typeof setTimeout> | undefined;
    setList(null);
    setFailure(null);
    const read = () => retrying(() => readTimeline(sessionId, { group, signal }));
    const failed = (error: unknown) => signal.aborted || setFailure(error);
    const readSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        read().then((page) => signal.aborted || setList((now) => now && withNewer(now, page)), failed);
      }, GATHER_MS);
    };
    const again = repeating(() => void begin());
    const subscription = live.subscribe(
      { sessionId, whenHidden: HIDDEN_MS },
      { onEvent: readSoon, onSkipped: readSoon },
    );
    async function begin(): Promise<void> {
      try {
        const page = await read();
        if (signal.aborted) return;
        setFailure(null);
        setList(begun(page));
        // What happened while the page was read is read too.
        subscription.followOn(page.events[0]?.sequence ?? 0);
      } catch (error) {
        if (signal.aborted) return;
        setFailure(error);
        again.failed(error);
      }
    }
    void begin();
    return () => {
      again.stop();
      reading.abort();
      clearTimeout(timer);
      subscription.close();
    };
  }, [sessionId, group, tries]);

  const before = list?.before ?? null;
  const loadOlder = useCallback(() => {
    if (before === null || busy.current) return;
    busy.current = true;
    setLoading(true);
    retrying(() => readTimeline(sessionId, { before, group }))
      .then((page) => setList((now) => (now?.before === before ? withOlder(now, page) : now)), setFailure)
      .finally(() => {
        busy.current = false;
        setLoading(false);
      });
  }, [sessionId, group, before]);

  return { list, failure, loading, loadOlder, reload: () => setTries((count) => count + 1) };
}
