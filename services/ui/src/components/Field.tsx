import { type ReactNode, useId } from "react";
import "./formFields.css";

/** What ties a control to its label and to what is said about it. */
export interface Tied {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean;
}

interface FieldProps {
  label: ReactNode;
  help?: ReactNode;
  /** What is wrong with what is in it; it is said instead of the help. */
  flaw?: string | null;
  children: (tied: Tied) => ReactNode;
}

/** A control of a form under its label, with what helps to fill it in. */
export function Field({ label, help = null, flaw = null, children }: FieldProps) {
  const id = useId();
  const told = flaw ?? help;
  return (
    <div>
      <label className="form-label" htmlFor={id}>
        {label}
      </label>
      {children({ id, "aria-describedby": told ? `${id}-told` : undefined, "aria-invalid": flaw !== null })}
      {told && (
        <p id={`${id}-told`} className={flaw ? "field-flaw" : "form-text"} role={flaw ? "alert" : undefined}>
          {told}
        </p>
      )}
    </div>
  );
}
