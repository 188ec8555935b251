import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** How near to the end (px) still counts as being there. */
const NEAR = 80;

export interface Scrolling {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  /** False when the reader has scrolled up. */
  atEnd: boolean;
  toEnd: () => void;
}

/**
 * Keeps the end in view while the reader is there, and what they read in place when something is put before it.
 * `firstKey` names the first thing shown; `sentAt` is when (ms) the newest unsent message was written: a newer one
 * brings the end into view, wherever the reader was.
 */
export function useStickToEnd(firstKey: string | undefined, sentAt: number): Scrolling {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticking = useRef(true);
  const last = useRef({ key: firstKey, height: 0 });
  const lastSent = useRef(sentAt);
  const [atEnd, setAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    sticking.current = true;
    element.scrollTop = element.scrollHeight;
    setAtEnd(true);
  }, []);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    if (sentAt > lastSent.current) {
      lastSent.current = sentAt;
      sticking.current = true;
    }
    const grown = element.scrollHeight - last.current.height;
    if (sticking.current) element.scrollTop = element.scrollHeight;
    else if (firstKey !== last.current.key) element.scrollTop += grown;
    last.current = { key: firstKey, height: element.scrollHeight };
  });

  useEffect(() => {
    const element = scroller.current;
    if (!element || !content.current) return;
    let top = element.scrollTop;
    const onScroll = () => {
      const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      // Only who scrolls up leaves the end: what has grown since our own scrolling was told of leaves nobody behind.
      const up = element.scrollTop < top;
      top = element.scrollTop;
      if (!near && sticking.current && !up) return;
      sticking.current = near;
      setAtEnd(near);
    };
    const resized = new ResizeObserver(() => {
      if (sticking.current) element.scrollTop = element.scrollHeight;
      last.current.height = element.scrollHeight;
    });
    resized.observe(content.current);
    resized.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, []);

  return { scroller, content, atEnd, toEnd };
}
