import { useId, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { type Read, useReadOf } from "../../../../lib/hooks/useRead";
import { chatHref, go, studioHref } from "../../../../lib/route";
import type { Reminder, Schedule } from "../../../../lib/wire";
import { cancelReminder, readTimed, type Timed, type Timezone, writeSettings } from "../../api/settings";
import { pagedKind } from "../../fold/shelves";
import { outcomeWords, viewersZone, whenWords } from "../../fold/times";
import { Failure, Form, type InRoom, Press, type TitleOf } from "../controls";
import { Zones } from "../settings/SettingField";
import { ScheduleForm } from "./ScheduleForm";
import { Moment, ScheduleActions, ScheduleState, ScheduleView } from "./ScheduleView";
import "../../schedules.css";

interface Props extends InRoom {
  /** The task that is shown; null: all of them. */
  scheduleId: string | null;
}

/** What waits for a time: the agent's scheduled tasks, and what its chats will be reminded of. */
export function Schedules({ agentId, scheduleId, revision, titleOf }: Props) {
  const timed = useReadOf(readTimed, [agentId], revision);
  return (
    <div className="studio-scrolls">
      <div className="lever-room studio-timed">
        <Reading read={timed}>
          {(found) =>
            scheduleId === null ? (
              <All agentId={agentId} timed={found} read={timed} titleOf={titleOf} />
            ) : (
              <ScheduleView
                key={scheduleId}
                place={{ agentId, kind: pagedKind("schedule"), name: scheduleId }}
                schedule={found.schedules.find(({ id }) => id === scheduleId) ?? null}
                revision={revision}
                titleOf={titleOf}
                onChanged={timed.again}
              />
            )
          }
        </Reading>
      </div>
    </div>
  );
}

interface AllProps {
  agentId: string;
  timed: Timed;
  read: Read<Timed>;
  titleOf: TitleOf;
}

function All({ agentId, timed: { schedules, reminders, timezone }, read, titleOf }: AllProps) {
  const [adding, setAdding] = useState(false);
  return (
    <>
      <section aria-label="Scheduled tasks">
        <div className="timed-head">
          <h2>Scheduled tasks</h2>
          {!adding && (
            <Press look="btn-primary" icon="plus" onPress={() => setAdding(true)}>
              New task
            </Press>
          )}
        </div>
        <p className="text-body-secondary">Each time, a task begins a new chat. The agent makes tasks too.</p>
        {adding && (
          <ScheduleForm
            agentId={agentId}
            changes={null}
            zone={timezone.timezone}
            onSaved={(id) => go(studioHref(agentId, "schedules", id))}
            onClose={() => setAdding(false)}
          />
        )}
        {schedules.length === 0 && !adding && <p role="status">{pagedKind("schedule").page.none}</p>}
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

interface RowProps {
  agentId: string;
  schedule: Schedule;
  onChanged: () => void;
}

/** A task in the list: when it runs, how it last went, and what can be done with it. */
function ScheduleRow({ agentId, schedule, onChanged }: RowProps) {
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

interface RemindersProps {
  agentId: string;
  reminders: readonly Reminder[];
  zone: string;
  titleOf: TitleOf;
}

/** What the agent's chats will be reminded of. */
function Reminders({ agentId, reminders, zone, titleOf }: RemindersProps) {
  const action = useAction();
  return (
    <section aria-label="Reminders">
      <div className="timed-head">
        <h2>Reminders</h2>
      </div>
      <Failure failure={action.failure} />
      {reminders.length === 0 && (
        <p role="status" className="text-body-secondary">
          Nothing waits. In any chat, ask to be reminded.
        </p>
      )}
      <ul className="timed-list">
        {reminders.map(({ id, due_at: at, message, reminds }) => (
          <li key={id} className="timed-row">
            <div className="timed-what">
              <p className="timed-message">{message}</p>
              <p>
                <Moment time={at} zone={zone} /> in{" "}
                <a href={chatHref(reminds)}>{titleOf(reminds) ?? "its chat"}</a>
              </p>
            </div>
            <div className="timed-actions">
              <Press
                of={`the reminder ${message}`}
                disabled={action.working}
                onPress={() => action.run(() => cancelReminder(agentId, id))}
              >
                Cancel
              </Press>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TimezoneProps {
  agentId: string;
  timezone: Timezone;
  onChanged: () => void;
}

/** The zone that the agent's times are in. */
function TimezoneForm({ agentId, timezone: { timezone, version }, onChanged }: TimezoneProps) {
  const id = useId();
  const [zone, setZone] = useState(timezone);
  const action = useAction();
  const own = viewersZone();
  const choose = () => writeSettings(agentId, { timezone: zone.trim() || null }, { timezone: version });
  return (
    <section aria-label="Timezone">
      <div className="timed-head">
        <h2>Timezone</h2>
      </div>
      <Form label="Timezone" className="timed-zone" onSubmit={() => action.run(choose, onChanged)}>
        <label className="visually-hidden" htmlFor={`${id}-zone`}>
          The agent's timezone
        </label>
        <input
          id={`${id}-zone`}
          className="form-control form-control-sm"
          list={`${id}-zones`}
          value={zone}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={`${id}-help`}
          onChange={(event) => setZone(event.target.value)}
        />
        <Zones id={`${id}-zones`} />
        <Press type="submit" look="btn-outline-primary" disabled={action.working || zone.trim() === timezone}>
          Save
        </Press>
      </Form>
      <p className="form-text" id={`${id}-help`}>
        {version === 0 && "This is the default for all agents. "}Times without an offset are in this zone.
        Existing tasks keep their own zone.{own !== timezone && ` Your browser is in ${own}.`}
      </p>
      <Failure failure={action.failure} />
    </section>
  );
}
