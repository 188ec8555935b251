import { useCallback, useEffect, useRef, useState } from "react";
import { openFeed } from "../../../lib/eventFeed";
import { retrying } from "../../../lib/retrying";
import type { TimelineGroup } from "../../../lib/wire";
import { readTimeline } from "../api/requests";
import { begun, type EventList, withNewer, withOlder } from "../fold/list";

/** Events that come together are read together (ms). */
const GATHER_MS = 300;

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
    let close: (() => void) | null = null;
    setList(null);
    setFailure(null);
    const read = () => retrying(() => readTimeline(sessionId, { group, signal }));
    const failed = (error: unknown) => signal.aborted || setFailure(error);
    const follow = (after: number) =>
      openFeed(
        { sessionId, after, pauseWhenHidden: 5_000 },
        {
          onEvent() {
            clearTimeout(timer);
            timer = setTimeout(() => {
              read().then((page) => signal.aborted || setList((now) => now && withNewer(now, page)), failed);
            }, GATHER_MS);
          },
          onDelta() {},
          onConnection() {},
        },
      );
    read().then((page) => {
      if (signal.aborted) return;
      setList(begun(page));
      close = follow(page.events[0]?.sequence ?? 0);
    }, failed);
    return () => {
      reading.abort();
      clearTimeout(timer);
      close?.();
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
