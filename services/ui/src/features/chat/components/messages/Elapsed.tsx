import { useEffect, useState } from "react";
import { span } from "../../../../lib/words";

/** A short wait needs no clock. */
const QUIET_MS = 2_000;

/** How long it has been going on. It is not read out: it changes every second. */
export function Elapsed({ since }: { since: string | null }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const ms = since === null ? 0 : now - new Date(since).getTime();
  if (ms < QUIET_MS) return null;
  return (
    <span className="elapsed" aria-hidden="true">
      {ms < 60_000 ? `${Math.floor(ms / 1_000)} s` : span(ms)}
    </span>
  );
}
