import { useId, useMemo } from "react";
import { CodeEditor } from "../../../../components/CodeEditor";
import type { Flaw } from "../../fold/body";
import type { Part } from "../../fold/parts";

interface Props {
  parts: readonly Part[];
  /** What is wrong, shown at its part. */
  flaw: Flaw | null;
  onChange: (id: string, text: string) => void;
}

/** The parts of a thing, to edit. */
export function Fields({ parts, flaw, onChange }: Props) {
  return parts.map((part) => (
    <Field
      key={part.id}
      part={part}
      flaw={flaw?.part === part.id ? flaw : null}
      onChange={(text) => onChange(part.id, text)}
    />
  ));
}

interface FieldProps {
  part: Part;
  flaw: Flaw | null;
  onChange: (text: string) => void;
}

function Field({ part: { label, language, text }, flaw, onChange }: FieldProps) {
  const id = useId();
  const mark = useMemo(
    () => (flaw?.line ? { line: flaw.line, column: flaw.column ?? 1, message: flaw.message } : null),
    [flaw],
  );
  return (
    <div className="studio-field">
      {language === "line" ? (
        <>
          <label className="form-label" htmlFor={id}>
            {label}
          </label>
          <textarea
            id={id}
            className={`form-control ${flaw ? "is-invalid" : ""}`}
            rows={label === "Tags" ? 1 : 2}
            value={text}
            aria-describedby={flaw ? `${id}-flaw` : undefined}
            onChange={(event) => onChange(event.target.value)}
          />
          {label === "Tags" && <p className="form-text">Separated by commas.</p>}
        </>
      ) : (
        <>
          <p className="form-label">{label}</p>
          <CodeEditor label={label} language={language} text={text} onChange={onChange} mark={mark} />
        </>
      )}
      {flaw && (
        <p className="field-flaw" id={`${id}-flaw`} role="alert">
          {flaw.line ? `Line ${flaw.line}, column ${flaw.column ?? 1}: ` : ""}
          {flaw.message}
        </p>
      )}
    </div>
  );
}
