import { useEffect, useState } from "react";

/** Another number every `ms` milliseconds, while somebody looks at the page. */
export function useTicks(ms: number): number {
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState !== "hidden") setTicks((now) => now + 1);
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
  return ticks;
}
