import { useEffect, useRef, useState } from "react";

/** A value that may change many times a second, no oftener than every `ms` milliseconds; the last one always comes. */
export function useCalm<T>(value: T, ms: number): T {
  const [calm, setCalm] = useState(value);
  const since = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, since.current + ms - performance.now());
    const timer = setTimeout(() => {
      since.current = performance.now();
      setCalm(value);
    }, wait);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return calm;
}
