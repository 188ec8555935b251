import { useEffect, useState } from "react";
import { messageOf, Problem } from "../../../../lib/problems";
import type { ScheduleDraft, NextTimes as Told } from "../../../../lib/wire";
import { readNextTimes } from "../../api/schedules";
import { type Flaw, flawOf } from "../../fold/body";
import { timeIn, viewersTime } from "../../fold/times";

/** So long nothing is typed before the server is asked, in milliseconds. */
const PAUSE_MS = 300;

/** The next times of what is written, or what is wrong with it; both null while nobody knows. */
export interface Coming {
  told: Told | null;
  flaw: Flaw | null;
}

const UNKNOWN: Coming = { told: null, flaw: null };

/** When a task would run, asked anew as it is written. */
export function useNextTimes(agentId: string, { at, cron, timezone }: ScheduleDraft): Coming {
  const [coming, setComing] = useState(UNKNOWN);
  useEffect(() => {
    if (!at && !cron) {
      setComing(UNKNOWN);
      return;
    }
    const asking = new AbortController();
    const when = { at: at ?? null, cron: cron ?? null, timezone: timezone ?? null };
    const ask = async () => {
      try {
        const told = await readNextTimes(agentId, when, asking.signal);
        setComing({ told, flaw: null });
      } catch (error) {
        if (asking.signal.aborted) return;
        const more = error instanceof Problem ? error.more : {};
        setComing({ told: null, flaw: flawOf(messageOf(error), more) });
      }
    };
    const timer = setTimeout(ask, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [agentId, at, cron, timezone]);
  return coming;
}

/** The times, by the task's clocks and by the viewer's. */
export function NextTimes({ told }: { told: Told | null }) {
  if (told === null || told.next.length === 0) return null;
  return (
    <section className="form-text" aria-label="Next times" aria-live="polite">
      Next:
      <ul className="timed-next">
        {told.next.map((time) => {
          const here = viewersTime(time, told.timezone);
          return (
            <li key={time}>
              {timeIn(time, told.timezone)}
              {here && ` (${here} for you)`}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
