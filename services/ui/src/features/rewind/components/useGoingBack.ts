import { useEffect, useRef, useState } from "react";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";

interface Ways<Shown, Body, Done> {
  read: (signal: AbortSignal) => Promise<Shown>;
  onShown?: (shown: Shown) => void;
  send: (body: Body, key: string) => Promise<Done>;
  onDone: (done: Done, body: Body) => void;
}

/** Reads what going back would do, and does it: a new `place` or `again` reads anew. */
export function useGoingBack<Shown, Body, Done>(place: unknown, ways: Ways<Shown, Body, Done>) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [working, setWorking] = useState(false);
  const [tries, setTries] = useState(0);
  const asked = useRef<{ body: string; key: string } | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `place` and `tries` ask anew, other ways don't
  useEffect(() => {
    const reading = new AbortController();
    setFailure(null);
    ways.read(reading.signal).then(
      (found) => {
        setShown(found);
        ways.onShown?.(found);
      },
      (error: unknown) => {
        if (!reading.signal.aborted) setFailure(error);
      },
    );
    return () => reading.abort();
  }, [place, tries]);

  async function goBack(body: Body) {
    setWorking(true);
    setFailure(null);
    // The same wish goes under the same key, so that trying again finishes what was begun.
    const text = JSON.stringify(body);
    if (asked.current?.body !== text) asked.current = { body: text, key: newKey() };
    const { key } = asked.current;
    try {
      const sending = () =>
        ways.send(body, key).catch((error: unknown) => {
          setFailure(error); // shown while it is tried again
          throw error;
        });
      ways.onDone(await retrying(sending), body);
    } catch (error) {
      setFailure(error);
    } finally {
      setWorking(false);
    }
  }

  const again = () => setTries((count) => count + 1);
  return { shown, failure, working, again, goBack };
}
