import { useId, useState } from "react";
import { type ArgumentField, type Arguments, same, shownIn, written } from "../../fold/testRun";

interface Props {
  fields: readonly ArgumentField[];
  all: Arguments;
  /** Which argument was refused, and why. */
  wrong: { name: string; message: string } | null;
  onChange: (all: Arguments) => void;
}

/** The arguments of a test run, field by field. */
export function ArgumentsForm({ fields, all, wrong, onChange }: Props) {
  if (fields.length === 0) return <p className="text-body-secondary">It takes no arguments.</p>;
  return fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      value={all[field.name]}
      wrong={wrong?.name === field.name ? wrong.message : null}
      onText={(text) => {
        const changed = written(all, field, text);
        onChange(changed);
        return changed[field.name];
      }}
    />
  ));
}

interface FieldProps {
  field: ArgumentField;
  value: unknown;
  wrong: string | null;
  /** Take what was typed; the value that it stands for. */
  onText: (text: string) => unknown;
}

function Field({ field, value, wrong, onText }: FieldProps) {
  const id = useId();
  // What was typed stays as it was typed: `1.`, `-` and half a list are not values yet.
  const [typed, setTyped] = useState<{ text: string; value: unknown } | null>(null);
  const { name, kind, about, required } = field;
  const notes = [about && `${id}-about`, wrong && `${id}-wrong`].filter(Boolean).join(" ");
  const common = {
    id,
    value: typed && same(typed.value, value) ? typed.text : shownIn(field, value),
    "aria-invalid": wrong !== null,
    "aria-describedby": notes || undefined,
    onChange: (event: { target: { value: string } }) => {
      const text = event.target.value;
      setTyped({ text, value: onText(text) });
    },
  };
  const invalid = wrong === null ? "" : "is-invalid";
  return (
    <div className="studio-field">
      <label className="form-label" htmlFor={id}>
        <code>{name}</code>
        {!required && <span className="text-body-secondary fw-normal"> optional</span>}
      </label>
      {kind === "choice" || kind === "boolean" ? (
        <select className={`form-select form-select-sm ${invalid}`} {...common}>
          <option value="">{required ? "Choose" : "Left out"}</option>
          {kind === "boolean"
            ? ["true", "false"].map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))
            : field.choices.slice(0, 500).map((choice, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the value of an option is its place
                <option key={at} value={String(at)}>
                  {typeof choice === "string" ? choice : JSON.stringify(choice)}
                </option>
              ))}
        </select>
      ) : kind === "number" || kind === "integer" ? (
        <input className={`form-control form-control-sm ${invalid}`} inputMode="decimal" {...common} />
      ) : (
        <textarea
          className={`form-control form-control-sm ${kind === "json" ? "font-monospace" : ""} ${invalid}`}
          rows={kind === "json" ? 3 : 1}
          placeholder={kind === "json" ? "JSON" : undefined}
          dir="auto"
          {...common}
        />
      )}
      {about && (
        <p className="form-text" id={`${id}-about`}>
          {about}
        </p>
      )}
      {wrong !== null && (
        <p className="field-flaw" id={`${id}-wrong`} role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}
