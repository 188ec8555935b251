import { useCallback, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { useRead } from "../../../../lib/hooks/useRead";
import { chatHref } from "../../../../lib/route";
import type { ScheduleRun } from "../../../../lib/wire";
import { readRuns } from "../../api/schedules";
import { outcomeWords } from "../../fold/times";
import { Moment } from "./Moment";

interface Props {
  agentId: string;
  scheduleId: string;
  zone: string;
  revision: string;
  titleOf: (sessionId: string) => string | null;
}

/** What became of a task's times, with the chats that they began. */
export function Runs({ agentId, scheduleId, zone, revision, titleOf }: Props) {
  const [wanted, setWanted] = useState({ pages: 1 });
  const read = useCallback(
    async (signal: AbortSignal) => {
      const runs: ScheduleRun[] = [];
      let before: number | null = null;
      for (let page = 0; page < wanted.pages; page += 1) {
        const found = await readRuns(agentId, scheduleId, before, signal);
        runs.push(...found.runs);
        before = found.before;
        if (before === null) break;
      }
      return { runs, more: before !== null };
    },
    [agentId, scheduleId, wanted],
  );
  const found = useRead(read, revision);
  return (
    <section aria-label="Runs">
      <h3 className="studio-subtitle">Runs</h3>
      <Reading read={found}>
        {({ runs, more }) =>
          runs.length === 0 ? (
            <p className="text-body-secondary">It has not run yet.</p>
          ) : (
            <>
              <ol className="timed-runs">
                {runs.map((run) => (
                  <li key={`${run.due_at} ${run.by_hand}`}>
                    <Moment time={run.due_at} zone={zone} />
                    <span className={`run-outcome run-${run.outcome}`}>{outcomeWords(run)}</span>
                    {run.by_hand && <span className="badge studio-badge">by hand</span>}
                    {run.session_id && (
                      <a href={chatHref(run.session_id)}>{titleOf(run.session_id) ?? "Open the chat"}</a>
                    )}
                    {run.reason && <span className="timed-why">{run.reason}</span>}
                  </li>
                ))}
              </ol>
              {more && (
                <button
                  type="button"
                  className="btn btn-sm btn-link"
                  onClick={() => setWanted(({ pages }) => ({ pages: pages + 1 }))}
                >
                  Show older runs
                </button>
              )}
            </>
          )
        }
      </Reading>
    </section>
  );
}
