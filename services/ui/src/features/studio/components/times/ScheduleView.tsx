import { useCallback, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { type Action, useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { chatHref, go, studioHref } from "../../../../lib/route";
import type { Schedule, ScheduleRun } from "../../../../lib/wire";
import { readRuns, steer } from "../../api/settings";
import { type Place, remove } from "../../api/things";
import { outcomeWords, timeIn, viewersTime, whenWords } from "../../fold/times";
import { Failure, Press, type TitleOf } from "../controls";
import { Delete } from "../deleting";
import { VersionSection } from "../versions/Versions";
import { ScheduleForm } from "./ScheduleForm";

interface Props {
  place: Place;
  /** null: it was deleted, or never was. */
  schedule: Schedule | null;
  revision: string;
  titleOf: TitleOf;
  onChanged: () => void;
}

/** One task: what it does and when, what became of its times, its versions. */
export function ScheduleView({ place, schedule, revision, titleOf, onChanged }: Props) {
  const about = { place, revision, titleOf };
  return (
    <article aria-label="Scheduled task">
      <a className="timed-back" href={studioHref(place.agentId, "schedules")}>
        All tasks and reminders
      </a>
      {schedule ? (
        <Head place={place} schedule={schedule} onChanged={onChanged} />
      ) : (
        <p className="alert alert-warning">
          This task was deleted. Revert to one of its versions to restore it.
        </p>
      )}
      <Runs {...about} zone={schedule?.timezone ?? "UTC"} />
      <VersionSection {...about} onReverted={onChanged} />
    </article>
  );
}

type HeadProps = Pick<Props, "place" | "onChanged"> & { schedule: Schedule };

function Head({ place, schedule, onChanged }: HeadProps) {
  const { agentId, kind } = place;
  const [editing, setEditing] = useState(false);
  const action = useAction();
  const { name, task, timezone, cron, next, model, token_limit } = schedule;
  return (
    <header>
      <div className="timed-head">
        <h2>{name}</h2>
        <ScheduleState schedule={schedule} />
        <span className="badge studio-badge">version {schedule.version}</span>
      </div>
      <div className="timed-buttons">
        <ScheduleActions agentId={agentId} schedule={schedule} action={action} onChanged={onChanged} />
        <Press icon="pencil" onPress={() => setEditing(true)}>
          Edit
        </Press>
        <Delete
          kind={kind}
          name={name}
          remove={() => remove(place)}
          onDone={() => go(studioHref(agentId, "schedules"))}
        />
      </div>
      <Failure failure={action.failure} />
      {editing ? (
        <ScheduleForm
          agentId={agentId}
          changes={{ schedule, place }}
          zone={timezone}
          onSaved={() => {
            setEditing(false);
            onChanged();
          }}
          onClose={() => setEditing(false)}
        />
      ) : (
        <>
          <p className="timed-task">{task}</p>
          <p>
            {whenWords(schedule)} <span className="text-body-secondary">({timezone})</span>
            {cron && <code className="timed-cron">{cron}</code>}
          </p>
          {(model || token_limit) && (
            <p className="text-body-secondary">
              {model && `Model ${model}. `}
              {token_limit && `At most ${token_limit.toLocaleString("en")} tokens each time.`}
            </p>
          )}
          {next.length > 0 && (
            <section aria-label="Next times">
              <h3 className="studio-subtitle">Next times</h3>
              <ul className="timed-next">
                {next.map((time) => (
                  <li key={time}>
                    <Moment time={time} zone={timezone} />
                  </li>
                ))}
              </ul>
            </section>
          )}
        </>
      )}
    </header>
  );
}

interface ActionsProps {
  agentId: string;
  schedule: Schedule;
  action: Action;
  onChanged: () => void;
}

/** Run a task now, pause it, or let it continue. */
export function ScheduleActions({
  agentId,
  schedule: { id, name, enabled },
  action,
  onChanged,
}: ActionsProps) {
  const does = (what: "pause" | "resume" | "run") => ({
    ...{ of: name, disabled: action.working },
    onPress: () => action.run(() => steer(agentId, id, what), onChanged),
  });
  return (
    <div className="timed-actions">
      <Press icon="play" {...does("run")}>
        Run now
      </Press>
      <Press icon={enabled ? "pause" : "play"} {...does(enabled ? "pause" : "resume")}>
        {enabled ? "Pause" : "Resume"}
      </Press>
    </div>
  );
}

/** Why a task doesn't run at its times, if it doesn't. */
export function ScheduleState({ schedule: { enabled, paused_because, next } }: { schedule: Schedule }) {
  if (enabled) return next.length === 0 ? <span className="badge studio-badge">over</span> : null;
  return (
    <>
      <span className="badge studio-badge">paused</span>
      {paused_because && <p className="timed-why">Foldline paused it: {paused_because}</p>}
    </>
  );
}

/** A time by the clocks of a zone and, where they say something else, by the viewer's. */
export function Moment({ time, zone }: { time: string; zone: string }) {
  const yours = viewersTime(time, zone);
  return (
    <time dateTime={time} className="timed-moment">
      {timeIn(time, zone)}
      {yours && <span className="text-body-secondary"> · {yours} your time</span>}
    </time>
  );
}

type RunsProps = Pick<Props, "place" | "revision" | "titleOf"> & { zone: string };

/** What became of a task's times, with the chats that they began. */
function Runs({ place: { agentId, name }, zone, revision, titleOf }: RunsProps) {
  const [wanted, setWanted] = useState({ pages: 1 });
  const read = useCallback(
    async (signal: AbortSignal) => {
      const runs: ScheduleRun[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < wanted.pages; page += 1) {
        const found = await readRuns(agentId, name, cursor, signal);
        runs.push(...found.items);
        cursor = found.next_cursor;
        if (cursor === null) break;
      }
      return { runs, more: cursor !== null };
    },
    [agentId, name, wanted],
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
                <Press look="btn-link" onPress={() => setWanted(({ pages }) => ({ pages: pages + 1 }))}>
                  Show older runs
                </Press>
              )}
            </>
          )
        }
      </Reading>
    </section>
  );
}
