import { useCallback, useEffect, useRef, useState } from "react";
import { live } from "../../../lib/live/live";
import { repeating } from "../../../lib/repeating";
import { retrying } from "../../../lib/retrying";
import type { TimelineGroup } from "../../../lib/wire";
import { PAGE, readTimeline } from "../api/requests";
import { begun, isBeyond, type RowList, withNewer, withOlder } from "../fold/list";
import { indexAt, type Stops } from "../fold/stops";

/** Events that come together are read together (ms). */
const GATHER_MS = 300;
/** A hidden history goes without live events after this long (ms). */
const HIDDEN_MS = 5_000;

export interface TimelineState {
  list: RowList | null;
  failure: unknown;
  loading: boolean;
  /** Events that came while the list was held still. */
  waiting: number;
  loadOlder: () => void;
  loadNewer: () => void;
  /** Begin anew with the newest. */
  reload: () => void;
}

interface Wanted {
  group: TimelineGroup | null;
  q: string;
  /** The event to be in the list; null: the newest. */
  at: number | null;
  /** The list is held still: what comes is only counted. */
  held: boolean;
  onEvent: () => void;
}

/** What happened in a session, newest first, page by page; what happens meanwhile is put before it. */
export function useTimeline(sessionId: string, stops: Stops, wanted: Wanted): TimelineState {
  const { group, q, at } = wanted;
  const [list, setList] = useState<RowList | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [loading, setLoading] = useState(false);
  const [waiting, setWaiting] = useState(0);
  const [tries, setTries] = useState(0);
  const busy = useRef(false);
  const now = useRef(wanted);
  now.current = wanted;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` reads once more
  useEffect(() => {
    const reading = new AbortController();
    const { signal } = reading;
    let timer: ReturnType<typeof setTimeout> | undefined;
    setFailure(null);
    setWaiting(0);
    const read = () => retrying(() => readTimeline(sessionId, { group, q, signal }));
    const failed = (error: unknown) => signal.aborted || setFailure(error);
    const readSoon = () => {
      now.current.onEvent();
      if (now.current.held) {
        setWaiting((count) => count + 1);
        return;
      }
      clearTimeout(timer);
      timer = setTimeout(() => {
        read().then(
          (page) =>
            signal.aborted || setList((known) => known && (known.newest ? withNewer(known, page) : known)),
          failed,
        );
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
        subscription.followOn(page.items[0]?.place ?? 0);
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
  }, [sessionId, group, q, tries]);

  const load = useCallback(
    (before: number | string | null, put: (page: Awaited<ReturnType<typeof readTimeline>>) => void) => {
      if (busy.current) return;
      busy.current = true;
      setLoading(true);
      const place = typeof before === "string" ? Number(before) : before;
      retrying(() => readTimeline(sessionId, { before: place, group, q }))
        .then(put, setFailure)
        .finally(() => {
          busy.current = false;
          setLoading(false);
        });
    },
    [sessionId, group, q],
  );

  const oldest = list?.rows.at(-1)?.place ?? null;
  const hasOlder = list?.before != null;
  const loadOlder = useCallback(() => {
    if (oldest === null || !hasOlder) return;
    load(oldest, (page) =>
      setList((known) => known && (known.rows.at(-1)?.place === oldest ? withOlder(known, page) : known)),
    );
  }, [oldest, hasOlder, load]);

  const first = list?.rows[0]?.place ?? null;
  const loadNewer = useCallback(() => {
    if (first === null) return;
    // So many events have at most so many rows: the page reaches back to what is there.
    const index = indexAt(stops.events, first) + PAGE;
    const before = stops.events[index] ?? null;
    load(before, (page) => setList((known) => known && withNewer(known, page, before === null)));
  }, [first, stops, load]);

  // An event that isn't loaded: the list begins anew around it.
  const beyond = at !== null && list !== null && isBeyond(list, at);
  useEffect(() => {
    if (!beyond || at === null) return;
    const index = indexAt(stops.events, at) + PAGE / 4;
    const before = stops.events[index] ?? null;
    const timer = setTimeout(() => load(before, (page) => setList(begun(page, before === null))), 80);
    return () => clearTimeout(timer);
  }, [beyond, at, stops, load]);

  const reload = useCallback(() => setTries((count) => count + 1), []);
  return { list, failure, loading, waiting, loadOlder, loadNewer, reload };
}
