import { type ReactNode, useState } from "react";
import { Field, type Tied } from "../../../../components/Field";
import { useAction } from "../../../../lib/hooks/useAction";
import { messageOf, Problem } from "../../../../lib/problems";
import type { Schedule } from "../../../../lib/wire";
import { createSchedule, saveSchedule } from "../../api/schedules";
import { flawOf } from "../../fold/body";
import { draftOf, type Form, formOf } from "../../fold/times";
import { FormEnd } from "../FormEnd";
import { NextTimes, useNextTimes } from "./NextTimes";

interface Props {
  agentId: string;
  /** The task that is changed; null: it is a new one. */
  schedule: Schedule | null;
  /** The zone that a new task's times are in. */
  zone: string;
  onSaved: (schedule: Schedule) => void;
  onClose: () => void;
}

/** Writes a scheduled task. What the server finds wrong stands at its field. */
export function ScheduleForm({ agentId, schedule, zone, onSaved, onClose }: Props) {
  const [form, setForm] = useState(() => formOf(schedule, zone));
  const [version] = useState(schedule?.version ?? 0);
  const action = useAction();
  const { failure } = action;
  const draft = draftOf(form, schedule);
  const coming = useNextTimes(agentId, draft);
  const refused =
    failure === null ? null : flawOf(messageOf(failure), failure instanceof Problem ? failure.more : {});
  const shown = FIELDS.includes(refused?.part ?? "");
  const flaw = coming.flaw ?? refused;
  const title = schedule ? `Edit ${schedule.name}` : "New scheduled task";
  const words = form.often ? (coming.told?.cron_words ?? null) : null;

  const set = (change: Partial<Form>) => {
    setForm((now) => ({ ...now, ...change }));
    if (!action.working) action.forget(); // what was refused is not what is written now
  };
  const field = (name: string, label: string, help: string | null, control: (tied: Tied) => ReactNode) => (
    <Field key={name} label={label} help={help} flaw={flaw?.part === name ? flaw.message : null}>
      {control}
    </Field>
  );
  return (
    <form
      className="studio-secret-form timed-form"
      aria-label={title}
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(
          () =>
            schedule ? saveSchedule(agentId, schedule.id, draft, version) : createSchedule(agentId, draft),
          onSaved,
        );
      }}
    >
      <h3 className="fs-6">{title}</h3>
      {field("name", "Name", null, (tied) => (
        <input
          {...tied}
          className="form-control"
          value={form.name}
          required
          // biome-ignore lint/a11y/noAutofocus: the form appears because the user asked for it
          autoFocus
          onChange={(event) => set({ name: event.target.value })}
        />
      ))}
      {field(
        "task",
        "Task",
        "The message that starts each new chat. The chat doesn't know other chats.",
        (tied) => (
          <textarea
            {...tied}
            className="form-control"
            rows={3}
            value={form.task}
            required
            onChange={(event) => set({ task: event.target.value })}
          />
        ),
      )}
      <fieldset className="timed-often">
        <legend className="visually-hidden">How often</legend>
        {([true, false] as const).map((often) => (
          <label key={String(often)} className="form-check">
            <input
              type="radio"
              className="form-check-input"
              checked={form.often === often}
              onChange={() => set({ often })}
            />{" "}
            {often ? "Again and again" : "Once"}
          </label>
        ))}
      </fieldset>
      {form.often
        ? field(
            "cron",
            "When (cron)",
            words ?? "Minute, hour, day of the month, month, day of the week; or @daily.",
            (tied) => (
              <input
                {...tied}
                className="form-control font-monospace"
                value={form.cron}
                required
                spellCheck={false}
                onChange={(event) => set({ cron: event.target.value })}
              />
            ),
          )
        : field("at", "When", null, (tied) => (
            <input
              {...tied}
              type="datetime-local"
              className="form-control"
              value={form.at}
              required
              onChange={(event) => set({ at: event.target.value })}
            />
          ))}
      {field("timezone", "Timezone", "For example Europe/Oslo.", (tied) => (
        <input
          {...tied}
          className="form-control"
          value={form.timezone}
          required
          spellCheck={false}
          onChange={(event) => set({ timezone: event.target.value })}
        />
      ))}
      <NextTimes told={coming.told} />
      <details open={shown && flaw !== null && MORE.includes(flaw.part ?? "")}>
        <summary>More</summary>
        {field("model", "Model", "Empty: the agent's usual model.", (tied) => (
          <input
            {...tied}
            className="form-control"
            value={form.model}
            spellCheck={false}
            onChange={(event) => set({ model: event.target.value })}
          />
        ))}
        {field("token_limit", "Tokens each time, at most", "Empty: the usual limit.", (tied) => (
          <input
            {...tied}
            type="number"
            min={1}
            step={1}
            className="form-control"
            value={form.tokenLimit}
            onChange={(event) => set({ tokenLimit: event.target.value })}
          />
        ))}
        {field("misfire", "When Foldline was down at its time", null, (tied) => (
          <select
            {...tied}
            className="form-select"
            value={form.misfire}
            onChange={(event) => set({ misfire: event.target.value as Form["misfire"] })}
          >
            <option value="run_once">Run once, within a day</option>
            <option value="skip">Skip it</option>
          </select>
        ))}
        {field("overlap", "While the run before it still works", null, (tied) => (
          <select
            {...tied}
            className="form-select"
            value={form.overlap}
            onChange={(event) => set({ overlap: event.target.value as Form["overlap"] })}
          >
            <option value="skip">Skip it</option>
            <option value="queue">Wait, then run</option>
            <option value="parallel">Run both at once</option>
          </select>
        ))}
      </details>
      <FormEnd failure={shown ? null : failure} working={action.working} ready onCancel={onClose} />
    </form>
  );
}

const MORE = ["model", "token_limit", "misfire", "overlap"];
const FIELDS = ["name", "task", "cron", "at", "timezone", ...MORE];
