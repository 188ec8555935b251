import { useId } from "react";
import type { Entries, Entry, Step, StepField, Wrong } from "../lib/steps";
import { Markdown } from "./markdown/Markdown";
import "./formFields.css";

interface Props {
  step: Step;
  entries: Entries;
  wrong: Wrong;
  disabled: boolean;
  /** What is said is drawn as it stands: a foreign server said it. */
  plain?: boolean;
  onChange(name: string, entry: Entry): void;
}

/** The fields of one step. What is wrong is said at each field. */
export function StepFieldset({ step, entries, wrong, disabled, plain = false, onChange }: Props) {
  return (
    <fieldset className="steps-fields" disabled={disabled}>
      {step.title && <legend className="steps-title">{step.title}</legend>}
      {step.description &&
        (plain ? <p className="steps-plain">{step.description}</p> : <Markdown text={step.description} />)}
      {step.fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          entry={entries[field.name] ?? ""}
          flaw={wrong[field.name]}
          onChange={(entry) => onChange(field.name, entry)}
        />
      ))}
    </fieldset>
  );
}

interface FieldProps {
  field: StepField;
  entry: Entry;
  flaw: string | undefined;
  onChange(entry: Entry): void;
}

interface Told {
  id: string;
  "data-field": string;
  "aria-invalid": boolean;
  "aria-required": boolean;
  "aria-describedby"?: string;
}

function OneField({ field, entry, flaw, onChange }: FieldProps) {
  const id = useId();
  const describedBy = [field.help && `${id}-help`, flaw && `${id}-flaw`].filter(Boolean).join(" ");
  const told: Told = {
    id,
    "data-field": field.name,
    "aria-invalid": flaw !== undefined,
    "aria-required": field.required,
    ...(describedBy ? { "aria-describedby": describedBy } : {}),
  };
  const label = (
    <>
      {field.label}
      {field.required && (
        <span className="block-form-required" title="Must be filled in" aria-hidden="true">
          {" *"}
        </span>
      )}
    </>
  );
  const invalid = flaw === undefined ? "" : "is-invalid";
  const below = (
    <>
      {field.help && (
        <div className="form-text" id={`${id}-help`}>
          {field.help}
        </div>
      )}
      {flaw !== undefined && (
        <div className="invalid-feedback d-block" id={`${id}-flaw`}>
          {flaw}
        </div>
      )}
    </>
  );
  if (field.type === "checkbox") {
    return (
      <div className="form-check">
        <input
          type="checkbox"
          className={`form-check-input ${invalid}`}
          checked={entry === true}
          onChange={(event) => onChange(event.target.checked)}
          {...told}
        />
        <label className="form-check-label" htmlFor={id}>
          {label}
        </label>
        {below}
      </div>
    );
  }
  if (field.type === "cards" || field.type === "many") {
    return (
      <div role="group" aria-labelledby={`${id}-label`}>
        <div className="form-label" id={`${id}-label`}>
          {label}
        </div>
        <Cards field={field} chosen={chosenIn(entry)} told={told} onChange={onChange} />
        {below}
      </div>
    );
  }
  return (
    <div>
      <label className="form-label" htmlFor={id}>
        {label}
      </label>
      <Control field={field} entry={entry} invalid={invalid} told={told} onChange={onChange} />
      {below}
    </div>
  );
}

const chosenIn = (entry: Entry): readonly number[] => (typeof entry === "object" ? entry : []);

interface CardsProps {
  field: StepField;
  chosen: readonly number[];
  told: Told;
  onChange(entry: Entry): void;
}

/** Options as cards: one, or any, of them can be chosen. */
function Cards({ field, chosen, told, onChange }: CardsProps) {
  const many = field.type === "many";
  const choose = (at: number, on: boolean) => {
    const rest = many ? chosen.filter((one) => one !== at) : [];
    onChange(on ? [...rest, at].sort((a, b) => a - b) : rest);
  };
  return (
    <div className="steps-cards">
      {field.options?.map((option, at) => (
        <label key={String(option.value)} className={`steps-card ${chosen.includes(at) ? "is-chosen" : ""}`}>
          <input
            type={many ? "checkbox" : "radio"}
            className="form-check-input"
            name={told.id}
            checked={chosen.includes(at)}
            onChange={(event) => choose(at, event.target.checked)}
            {...(at === 0 ? told : {})}
          />
          <span>
            <span className="steps-card-label">{option.label}</span>
            {option.help && <span className="form-text d-block mt-0">{option.help}</span>}
          </span>
        </label>
      ))}
    </div>
  );
}

/** By a text's format, the keyboard that a phone shows. */
const KEYBOARDS: Readonly<Record<string, "url" | "email">> = { uri: "url", hostname: "url", email: "email" };

interface ControlProps {
  field: StepField;
  entry: Entry;
  invalid: string;
  told: Told;
  onChange(entry: Entry): void;
}

function Control({ field, entry, invalid, told, onChange }: ControlProps) {
  if (field.type === "select") {
    return (
      <select
        className={`form-select form-select-sm ${invalid}`}
        value={chosenIn(entry)[0] ?? ""}
        onChange={(event) => onChange(event.target.value === "" ? [] : [Number(event.target.value)])}
        {...told}
      >
        <option value="">Choose …</option>
        {field.options?.map((option, at) => (
          <option key={String(option.value)} value={at}>
            {option.label}
          </option>
        ))}
      </select>
    );
  }
  if (field.type === "textarea" || field.type === "lines") {
    return (
      <textarea
        className={`form-control form-control-sm ${invalid}`}
        rows={3}
        value={String(entry)}
        onChange={(event) => onChange(event.target.value)}
        {...told}
      />
    );
  }
  return (
    <input
      type={field.type === "secret" ? "password" : "text"}
      inputMode={
        field.type === "number" || field.type === "integer" ? "decimal" : KEYBOARDS[field.format ?? ""]
      }
      className={`form-control form-control-sm ${invalid}`}
      autoComplete={field.type === "secret" ? "new-password" : "off"}
      spellCheck={field.format ? false : undefined}
      placeholder={field.hint}
      value={String(entry)}
      onChange={(event) => onChange(event.target.value)}
      {...told}
    />
  );
}
