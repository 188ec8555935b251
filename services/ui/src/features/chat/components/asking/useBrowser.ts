import { useEffect, useMemo, useRef, useState } from "react";
import { newKey } from "../../../../lib/newKey";
import { isPassing, messageOf } from "../../../../lib/problems";
import { act, type BrowserView, type HandOverCall, look } from "../../api/handOver";
import { type BrowserInput, withInput } from "../../fold/handOver";

const AGAIN_MS = 1_000;
const MOST = 100;

export interface OpenBrowser {
  view: BrowserView | null;
  /** The newest picture, as an address. */
  picture: string | null;
  /** Why nothing more comes; null while it goes on. */
  over: string | null;
  /** What did not work, until something does. */
  problem: string | null;
  send: (input: BrowserInput) => void;
}

/** Watches a browser that was handed over, picture by picture, and sends what is done in it, in order. */
export function useBrowser({ sessionId, callId }: HandOverCall): OpenBrowser {
  const [view, setView] = useState<BrowserView | null>(null);
  const [picture, setPicture] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const waiting = useRef<BrowserInput[]>([]);
  const sending = useRef(false);

  useEffect(() => {
    const watching = new AbortController();
    const { signal } = watching;
    const viewer = newKey();
    async function watch() {
      let trouble = false;
      for (let after = 0; !signal.aborted; ) {
        try {
          const seen = await look({ sessionId, callId }, viewer, after, signal);
          if (signal.aborted) return;
          if (seen.ended) {
            setOver(`The browser was lost: ${seen.reason}. The agent knows.`);
            return;
          }
          after = seen.version;
          if (trouble) setProblem(null);
          trouble = false;
          setView(seen);
          if (seen.image) setPicture(`data:image/jpeg;base64,${seen.image}`);
        } catch (error) {
          if (signal.aborted) return;
          if (!isPassing(error)) {
            setOver(messageOf(error));
            return;
          }
          trouble = true;
          setProblem(messageOf(error));
          await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
        }
      }
    }
    void watch();
    return () => watching.abort();
  }, [sessionId, callId]);

  const send = useMemo(() => {
    async function flush() {
      if (sending.current) return;
      sending.current = true;
      while (waiting.current.length > 0) {
        const inputs = waiting.current.splice(0, MOST);
        try {
          const { problem: why, ...focus } = await act({ sessionId, callId }, inputs);
          setProblem(why);
          setView((seen) => seen && { ...seen, ...focus });
        } catch (error) {
          waiting.current = []; // whatever follows was meant for a page that did not get this
          setProblem(messageOf(error));
        }
      }
      sending.current = false;
    }
    return (input: BrowserInput) => {
      waiting.current = withInput(waiting.current, input);
      void flush();
    };
  }, [sessionId, callId]);

  return { view, picture, over, problem, send };
}
