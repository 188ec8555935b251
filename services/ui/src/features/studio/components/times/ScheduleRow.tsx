import { useAction } from "../../../../lib/hooks/useAction";
import { studioHref } from "../../../../lib/route";
import type { Schedule } from "../../../../lib/wire";
import { outcomeWords, whenWords } from "../../fold/times";
import { Failure } from "../Failure";
import { Moment } from "./Moment";
import { ScheduleActions } from "./ScheduleActions";

interface Props {
  agentId: string;
  schedule: Schedule;
  onChanged: () => void;
}

/** A task in the list: when it runs, how it last went, and what can be done with it. */
export function ScheduleRow({ agentId, schedule, onChanged }: Props) {
  const action = useAction();
  const { id, name, timezone, next, last_run: last } = schedule;
  return (
    <li className="timed-row">
      <div className="timed-what">
        <a className="timed-name" href={studioHref(agentId, "schedules", id)}>
          {name}
        </a>
        <ScheduleState schedule={schedule} />
        <p>
          {whenWords(schedule)} <span className="text-body-secondary">({timezone})</span>
        </p>
        {next[0] && (
          <p>
            Next: <Moment time={next[0]} zone={timezone} />
          </p>
        )}
        {last && <p className={`run-${last.outcome}`}>Last: {outcomeWords(last).toLowerCase()}</p>}
        <Failure failure={action.failure} />
      </div>
      <ScheduleActions agentId={agentId} schedule={schedule} action={action} onChanged={onChanged} />
    </li>
  );
}

/** Why a task doesn't run at its times, if it doesn't. */
export function ScheduleState({ schedule: { enabled, paused_because, next } }: { schedule: Schedule }) {
  if (!enabled)
    return (
      <>
        <span className="badge studio-badge">paused</span>
        {paused_because && <p className="timed-why">Foldline paused it: {paused_because}</p>}
      </>
    );
  return next.length === 0 ? <span className="badge studio-badge">over</span> : null;
}
