import { useState } from "react";
import { Icon } from "../../../../components/Icon";
import { useAction } from "../../../../lib/hooks/useAction";
import { go, studioHref } from "../../../../lib/route";
import type { Schedule } from "../../../../lib/wire";
import { removeSchedule } from "../../api/schedules";
import { whenWords } from "../../fold/times";
import { DeleteDialog } from "../DeleteDialog";
import { Failure } from "../Failure";
import { Moment } from "./Moment";
import { Runs } from "./Runs";
import { ScheduleActions } from "./ScheduleActions";
import { ScheduleForm } from "./ScheduleForm";
import { ScheduleState } from "./ScheduleRow";
import { ScheduleVersions } from "./ScheduleVersions";

interface Props {
  agentId: string;
  scheduleId: string;
  /** null: it was deleted, or never was. */
  schedule: Schedule | null;
  revision: string;
  titleOf: (sessionId: string) => string | null;
  onChanged: () => void;
}

/** One task: what it does and when, what became of its times, its versions. */
export function ScheduleView({ agentId, scheduleId, schedule, revision, titleOf, onChanged }: Props) {
  const about = { agentId, scheduleId, revision, titleOf };
  return (
    <article aria-label="Scheduled task">
      <a className="timed-back" href={studioHref(agentId, "schedules")}>
        All tasks and reminders
      </a>
      {schedule ? (
        <Head agentId={agentId} schedule={schedule} onChanged={onChanged} />
      ) : (
        <p className="alert alert-warning">
          This task was deleted. Revert to one of its versions to restore it.
        </p>
      )}
      <Runs {...about} zone={schedule?.timezone ?? "UTC"} />
      <ScheduleVersions {...about} onChanged={onChanged} />
    </article>
  );
}

function Head({
  agentId,
  schedule,
  onChanged,
}: {
  agentId: string;
  schedule: Schedule;
  onChanged: () => void;
}) {
  const [doing, setDoing] = useState<"edit" | "delete" | null>(null);
  const action = useAction();
  const { id, name, task, timezone, cron, next, model, token_limit } = schedule;
  return (
    <header>
      <div className="timed-head">
        <h2>{name}</h2>
        <ScheduleState schedule={schedule} />
        <span className="badge studio-badge">version {schedule.version}</span>
      </div>
      <div className="timed-buttons">
        <ScheduleActions agentId={agentId} schedule={schedule} action={action} onChanged={onChanged} />
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => setDoing("edit")}>
          <Icon name="pencil" size={14} /> Edit
        </button>
        <button
          type="button"
          className="btn btn-sm btn-outline-danger"
          onClick={() => {
            action.forget();
            setDoing("delete");
          }}
        >
          <Icon name="trash" size={14} /> Delete…
        </button>
      </div>
      {doing !== "delete" && <Failure failure={action.failure} />}
      {doing === "edit" ? (
        <ScheduleForm
          agentId={agentId}
          schedule={schedule}
          zone={timezone}
          onSaved={() => {
            setDoing(null);
            onChanged();
          }}
          onClose={() => setDoing(null)}
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
      {doing === "delete" && (
        <DeleteDialog
          noun="scheduled task"
          name={name}
          action={action}
          onDelete={() =>
            action.run(
              () => removeSchedule(agentId, id),
              () => go(studioHref(agentId, "schedules")),
            )
          }
          onClose={() => setDoing(null)}
        />
      )}
    </header>
  );
}
