import { type ReactNode, useId } from "react";

interface CheckProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  inline?: boolean;
  disabled?: boolean;
  children: ReactNode;
}

/** A box to tick, before its label. */
export function Check({ checked, onChange, inline = false, disabled = false, children }: CheckProps) {
  const id = useId();
  return (
    <div className={inline ? "form-check form-check-inline" : "form-check"}>
      <input
        id={id}
        className="form-check-input"
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label className="form-check-label" htmlFor={id}>
        {children}
      </label>
    </div>
  );
}

interface ChecksProps<One extends string> {
  legend: ReactNode;
  /** What can be ticked, and in which words it is shown. */
  words: Readonly<Record<One, string>>;
  ticked: readonly One[];
  onChange: (ticked: One[]) => void;
  inline?: boolean;
}

/** A box for each of some. */
export function Checks<One extends string>({
  legend,
  words,
  ticked,
  onChange,
  inline = false,
}: ChecksProps<One>) {
  return (
    <fieldset>
      <legend className="form-label fs-6">{legend}</legend>
      {(Object.keys(words) as One[]).map((one) => (
        <Check
          key={one}
          inline={inline}
          checked={ticked.includes(one)}
          onChange={(on) => onChange(on ? [...ticked, one] : ticked.filter((other) => other !== one))}
        >
          {words[one]}
        </Check>
      ))}
    </fieldset>
  );
}
