import type { Schema } from "@cfworker/json-schema";
import { type FormEvent, useState } from "react";
import { StepFieldset } from "../../../../components/StepFieldset";
import {
  type Entry,
  entriesOf,
  type Step,
  type StepField,
  valuesOf,
  type Wrong,
  wrongIn,
} from "../../../../lib/steps";
import type { PackSettings as Settings } from "../../api/packs";

interface Props {
  title: string;
  settings: Settings;
  working: boolean;
  save(values: Record<string, unknown>): void;
}

/** What may be set of a pack. Only what differs from the pack's defaults is kept. */
export function PackSettings({ title, settings, working, save }: Props) {
  const fields = settings.fields as unknown as readonly StepField[];
  const step: Step = { title: null, description: null, fields };
  const properties = (settings.json_schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const [entries, setEntries] = useState(() =>
    entriesOf([step], { ...defaultsOf(fields), ...settings.values }),
  );
  const [wrong, setWrong] = useState<Wrong>({});
  const change = (name: string, entry: Entry) => {
    setEntries({ ...entries, [name]: entry });
    const { [name]: _, ...left } = wrong;
    setWrong(left);
  };
  function submit(event: FormEvent) {
    event.preventDefault();
    const form = { title: "", description: "", steps: [step], properties, server: null };
    const found = wrongIn(step, form, entries);
    setWrong(found);
    if (Object.keys(found).length > 0) return;
    const values = valuesOf(fields, entries, properties);
    const changed = fields.filter(({ name, default: own }) => !same(values[name], own));
    save(Object.fromEntries(changed.map(({ name, type }) => [name, values[name] ?? EMPTY[type] ?? ""])));
  }
  return (
    <details className="small">
      <summary>Settings</summary>
      <form className="block-form" aria-label={`Settings of ${title}`} onSubmit={submit} noValidate>
        <StepFieldset step={step} entries={entries} wrong={wrong} disabled={working} onChange={change} />
        <button type="submit" className="btn btn-sm btn-primary" disabled={working}>
          Save
        </button>
      </form>
    </details>
  );
}

/** What an empty field stands for, where it isn't the empty text. */
const EMPTY: Partial<Record<StepField["type"], unknown>> = { lines: [], many: [] };

const defaultsOf = (fields: readonly StepField[]) =>
  Object.fromEntries(fields.map(({ name, default: own }) => [name, own]));

/** Whether a value is the default; a list that is left empty is none. */
const same = (value: unknown, own: unknown) => {
  const one = value ?? (Array.isArray(own) ? [] : own);
  return JSON.stringify(one) === JSON.stringify(own);
};
