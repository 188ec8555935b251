import { useId } from "react";

interface Props {
  label: string;
  value: string;
  rows?: number;
  onChange: (value: string) => void;
}

/** A line, or some, of text. */
export function Field({ label, value, rows, onChange }: Props) {
  const id = useId();
  const shared = { id, className: "form-control", value, spellCheck: false, autoComplete: "off" };
  return (
    <div>
      <label className="form-label" htmlFor={id}>
        {label}
      </label>
      {rows === undefined ? (
        <input {...shared} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
      )}
    </div>
  );
}
