import { useId } from "react";

interface Props {
  label: string;
  value: string;
  rows?: number;
  /** What is wrong with it. */
  problem?: string | undefined;
  onChange: (value: string) => void;
}

/** A line, or some, of text. */
export function Field({ label, value, rows, problem, onChange }: Props) {
  const id = useId();
  const shared = {
    ...{ id, value, spellCheck: false, autoComplete: "off" },
    className: `form-control ${problem ? "is-invalid" : ""}`,
    "aria-invalid": problem !== undefined,
    "aria-describedby": problem ? `${id}-problem` : undefined,
  };
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
      {problem && (
        <p className="invalid-feedback mb-0" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}
