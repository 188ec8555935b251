import { useCallback, useState } from "react";
import { Icon } from "../../../../components/Icon";
import { Reading } from "../../../../components/Reading";
import { type Read, useRead } from "../../../../lib/hooks/useRead";
import { go, studioHref } from "../../../../lib/route";
import { readTimed, type Timed } from "../../api/schedules";
import { TimezoneForm } from "../agents/TimezoneForm";
import { Reminders } from "./Reminders";
import { ScheduleForm } from "./ScheduleForm";
import { ScheduleRow } from "./ScheduleRow";
import { ScheduleView } from "./ScheduleView";
import "../../schedules.css";

interface Props {
  agentId: string;
  /** The task that is shown; null: all of them. */
  scheduleId: string | null;
  /** Whatever is read is read anew with another one. */
  revision: string;
  titleOf: (sessionId: string) => string | null;
}

/** What waits for a time: the agent's scheduled tasks, and what its chats will be reminded of. */
export function Schedules({ agentId, scheduleId, revision, titleOf }: Props) {
  const read = useCallback((signal: AbortSignal) => readTimed(agentId, signal), [agentId]);
  const timed = useRead(read, revision);
  return (
    <div className="studio-timed">
      <Reading read={timed}>
        {(found) =>
          scheduleId === null ? (
            <All agentId={agentId} timed={found} read={timed} titleOf={titleOf} />
          ) : (
            <ScheduleView
              key={scheduleId}
              agentId={agentId}
              scheduleId={scheduleId}
              schedule={found.schedules.find(({ id }) => id === scheduleId) ?? null}
              revision={revision}
              titleOf={titleOf}
              onChanged={timed.again}
            />
          )
        }
      </Reading>
    </div>
  );
}

interface AllProps {
  agentId: string;
  timed: Timed;
  read: Read<Timed>;
  titleOf: Props["titleOf"];
}

function All({ agentId, timed: { schedules, reminders, timezone }, read, titleOf }: AllProps) {
  const [adding, setAdding] = useState(false);
  return (
    <>
      <section aria-label="Scheduled tasks">
        <div className="timed-head">
          <h2>Scheduled tasks</h2>
          {!adding && (
            <button type="button" className="btn btn-sm btn-primary" onClick={() => setAdding(true)}>
              <Icon name="plus" size={14} /> New task
            </button>
          )}
        </div>
        <p className="text-body-secondary">Each time, a task begins a new chat. The agent makes tasks too.</p>
        {adding && (
          <ScheduleForm
            agentId={agentId}
            schedule={null}
            zone={timezone.timezone}
            onSaved={({ id }) => go(studioHref(agentId, "schedules", id))}
            onClose={() => setAdding(false)}
          />
        )}
        {schedules.length === 0 && !adding && (
          <p role="status">No tasks yet. Ask the agent for something each morning, or make one here.</p>
        )}
        <ul className="timed-list">
          {schedules.map((one) => (
            <ScheduleRow key={one.id} agentId={agentId} schedule={one} onChanged={read.again} />
          ))}
        </ul>
      </section>
      <Reminders agentId={agentId} reminders={reminders} zone={timezone.timezone} titleOf={titleOf} />
      <TimezoneForm key={timezone.version} agentId={agentId} timezone={timezone} onChanged={read.again} />
    </>
  );
}
