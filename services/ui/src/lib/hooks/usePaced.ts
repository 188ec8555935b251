import { useEffect, useRef, useState } from "react";

/** So much (characters) of a text is drawn in one step. */
const STEP = 1_500;
/** So much of a finished one is drawn at once, so that most are whole when they are first seen. */
const AT_ONCE = 12_000;

/**
 * The beginning of a text that is drawn now: it follows the text, one step a frame, and the next step begins only when
 * the last one is on the screen. So a text that comes faster than it can be drawn makes nobody wait.
 */
export function usePaced(text: string, growing: boolean): string {
  const [end, setEnd] = useState(() => stop(text, growing ? STEP : AT_ONCE));
  const latest = useRef(text);
  latest.current = text;
  const behind = end < text.length;
  // Not anew with each piece that comes: pieces that come faster than frames would put it off for ever.
  useEffect(() => {
    if (behind) return soon(() => setEnd(stop(latest.current, end + STEP)));
  }, [behind, end]);
  return behind ? text.slice(0, end) : text;
}

/** Where to end at, or before it where that is in the middle of a character. */
function stop(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/** Once the next frame was drawn; a hidden page has no frames, so there a timer does it. Returns what gives it up. */
function soon(action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (ms: number) => {
    timer = setTimeout(action, ms);
  };
  if (document.visibilityState === "hidden") {
    wait(50);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(() => wait(0));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
