import { type ComponentProps, useEffect, useState } from "react";
import { Field } from "../../../../components/Field";
import { useAction } from "../../../../lib/hooks/useAction";
import { messageOf, Problem } from "../../../../lib/problems";
import type { NextTimes, Schedule, ScheduleDraft } from "../../../../lib/wire";
import { createSchedule, readNextTimes } from "../../api/settings";
import { type Place, save } from "../../api/things";
import { type Flaw, flawOf } from "../../fold/parts";
import { draftOf, formOf, timeIn, viewersTime, type Form as Written } from "../../fold/times";
import { Form, FormEnd, Select, TextField } from "../controls";

interface Props {
  agentId: string;
  /** The task that is changed, and where it is; null: it is a new one. */
  changes: { schedule: Schedule; place: Place } | null;
  /** The zone that a new task's times are in. */
  zone: string;
  onSaved: (id: string) => void;
  onClose: () => void;
}

const MORE = ["model", "token_limit", "misfire", "overlap"];
const FIELDS = ["name", "task", "cron", "at", "timezone", ...MORE];

const flawIn = (failure: unknown): Flaw | null =>
  failure === null ? null : flawOf(messageOf(failure), failure instanceof Problem ? failure.more : {});

/** Writes a scheduled task. What the server finds wrong stands at its field. */
export function ScheduleForm({ agentId, changes, zone, onSaved, onClose }: Props) {
  const schedule = changes?.schedule ?? null;
  const [form, setForm] = useState(() => formOf(schedule, zone));
  const [version] = useState(schedule?.version ?? 0);
  const action = useAction();
  const draft = draftOf(form, schedule);
  const coming = useNextTimes(agentId, draft);
  const refused = flawIn(action.failure);
  const shown = FIELDS.includes(refused?.part ?? "");
  const flaw = coming.flaw ?? refused;
  const title = schedule ? `Edit ${schedule.name}` : "New scheduled task";
  const set = (change: Partial<Written>) => {
    setForm((now) => ({ ...now, ...change }));
    if (!action.working) action.forget(); // what was refused is not what is written now
  };
  const flawOfField = (name: string) => (flaw?.part === name ? flaw.message : null);
  type Text = "name" | "task" | "cron" | "at" | "timezone" | "model" | "tokenLimit";
  const text = (name: Text, label: string, more: Partial<ComponentProps<typeof TextField>> = {}) => (
    <TextField
      label={label}
      flaw={flawOfField(name === "tokenLimit" ? "token_limit" : name)}
      value={form[name]}
      onText={(typed) => set({ [name]: typed })}
      {...more}
    />
  );
  const choice = (name: "misfire" | "overlap", label: string, words: Record<string, string>) => (
    <Field label={label} flaw={flawOfField(name)}>
      {(tied) => (
        <Select
          {...tied}
          className="form-select"
          value={form[name]}
          words={words}
          onChoose={(chosen) => set({ [name]: chosen })}
        />
      )}
    </Field>
  );
  return (
    <Form
      label={title}
      className="studio-secret-form timed-form"
      onSubmit={() =>
        action.run(async () => {
          if (changes === null) return (await createSchedule(agentId, draft)).id;
          await save(changes.place, draft, version);
          return changes.schedule.id;
        }, onSaved)
      }
    >
      <h3 className="fs-6">{title}</h3>
      {text("name", "Name", { required: true, autoFocus: true, spellCheck: true })}
      {text("task", "Task", {
        ...{ rows: 3, required: true, spellCheck: true },
        help: "The message that starts each new chat. The chat doesn't know other chats.",
      })}
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
        ? text("cron", "When (cron)", {
            ...{ className: "font-monospace", required: true },
            help:
              coming.told?.cron_words ?? "Minute, hour, day of the month, month, day of the week; or @daily.",
          })
        : text("at", "When", { type: "datetime-local", required: true })}
      {text("timezone", "Timezone", { required: true, help: "For example Europe/Oslo." })}
      <Coming told={coming.told} />
      <details open={shown && flaw !== null && MORE.includes(flaw.part ?? "")}>
        <summary>More</summary>
        {text("model", "Model", { help: "Empty: the agent's usual model." })}
        {text("tokenLimit", "Tokens each time, at most", {
          ...{ type: "number", min: 1, step: 1 },
          help: "Empty: the usual limit.",
        })}
        {choice("misfire", "When Foldline was down at its time", {
          run_once: "Run once, within a day",
          skip: "Skip it",
        })}
        {choice("overlap", "While the run before it still works", {
          skip: "Skip it",
          queue: "Wait, then run",
          parallel: "Run both at once",
        })}
      </details>
      <FormEnd failure={shown ? null : action.failure} working={action.working} onCancel={onClose} />
    </Form>
  );
}

/** So long nothing is typed before the server is asked, in milliseconds. */
const PAUSE_MS = 300;
const UNKNOWN: { told: NextTimes | null; flaw: Flaw | null } = { told: null, flaw: null };

/** When a task would run, or what is wrong with it, asked anew as it is written; both null while nobody knows. */
function useNextTimes(agentId: string, { at, cron, timezone }: ScheduleDraft) {
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
        setComing({ told: await readNextTimes(agentId, when, asking.signal), flaw: null });
      } catch (error) {
        if (!asking.signal.aborted) setComing({ told: null, flaw: flawIn(error) });
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
function Coming({ told }: { told: NextTimes | null }) {
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
