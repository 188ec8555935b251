import { type FormEvent, useId, useState } from "react";
import "../../../components/formFields.css";
import { actedOn, isAnswerable, type Shown } from "../../../lib/shown";
import type { Field, FormShown } from "../fold/blocks";
import { beginning, dataOf, type Flaws, fieldAt, filled, flaws } from "../fold/form";

interface Props {
  form: FormShown;
  schema: Record<string, unknown>;
  shown: Shown;
}

/** Fields to fill in. What is wrong is said at each field; what was submitted stays to be read. */
export function FormBlock({ form: { fields, submitLabel }, schema, shown }: Props) {
  const id = useId();
  const [values, setValues] = useState(() => beginning(fields));
  const [wrong, setWrong] = useState<Flaws>({});
  const { call, answering, onAnswer } = shown;
  const acted = actedOn(call);
  const given = acted?.action === "submit" ? filled(fields, acted.data as Record<string, unknown>) : values;
  const open = isAnswerable(shown);
  const refused = answering?.state === "failed" ? fieldAt(fields, answering.path) : null;
  const flawOf = (at: number) =>
    wrong[at] ?? (refused === at ? (answering?.problem ?? undefined) : undefined);

  function change(at: number, value: string | boolean) {
    setValues(values.with(at, value));
    const { [at]: _, ...left } = wrong;
    setWrong(left);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!open) return;
    const data = dataOf(fields, values);
    const found = flaws(fields, schema, data);
    setWrong(found);
    const [first] = Object.keys(found);
    if (first !== undefined) document.getElementById(`${id}-${first}`)?.focus();
    else onAnswer({ action: "submit", data });
  }

  return (
    <form className="block-form" onSubmit={submit} noValidate>
      {fields.map((field, at) => (
        <OneField
          key={field.name}
          id={`${id}-${at}`}
          field={field}
          value={given[at] ?? ""}
          flaw={flawOf(at)}
          disabled={!open}
          onChange={(value) => change(at, value)}
        />
      ))}
      {call.status === "pending" && (
        <button type="submit" className="btn btn-primary btn-sm" disabled={!open}>
          {answering?.state === "sending" ? "Sending …" : submitLabel}
        </button>
      )}
    </form>
  );
}

interface FieldProps {
  id: string;
  field: Field;
  value: string | boolean;
  flaw: string | undefined;
  disabled: boolean;
  onChange: (value: string | boolean) => void;
}

function OneField({ id, field, value, flaw, disabled, onChange }: FieldProps) {
  const told = {
    id,
    disabled,
    "aria-invalid": flaw !== undefined,
    "aria-required": field.required,
    ...(flaw === undefined ? {} : { "aria-describedby": `${id}-flaw` }),
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
  return (
    <div className={field.type === "checkbox" ? "form-check" : undefined}>
      {field.type === "checkbox" ? (
        <input
          type="checkbox"
          className={`form-check-input ${invalid}`}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
          {...told}
        />
      ) : null}
      <label className={field.type === "checkbox" ? "form-check-label" : "form-label"} htmlFor={id}>
        {label}
      </label>
      {field.type !== "checkbox" && (
        <Control field={field} value={String(value)} invalid={invalid} told={told} onChange={onChange} />
      )}
      {flaw !== undefined && (
        <div className="invalid-feedback d-block" id={`${id}-flaw`}>
          {flaw}
        </div>
      )}
    </div>
  );
}

interface ControlProps {
  field: Field;
  value: string;
  invalid: string;
  told: Record<string, unknown>;
  onChange: (value: string) => void;
}

function Control({ field, value, invalid, told, onChange }: ControlProps) {
  switch (field.type) {
    case "select":
      return (
        <select
          className={`form-select form-select-sm ${invalid}`}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          {...told}
        >
          <option value="">Choose …</option>
          {field.options?.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      );
    case "textarea":
      return (
        <textarea
          className={`form-control form-control-sm ${invalid}`}
          rows={3}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          {...told}
        />
      );
    default:
      return (
        <input
          type={field.type === "date" ? "date" : "text"}
          inputMode={field.type === "number" ? "decimal" : undefined}
          className={`form-control form-control-sm ${invalid}`}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          {...told}
        />
      );
  }
}
