/** The components that pages are given to ask something: their changes come as events, and to `onValue` as values. */
import { type ComponentProps, type ReactNode, useId } from "react";
import BsForm from "react-bootstrap/Form";

/** A form; `onSubmit` never leaves the page. */
function FormBox({ onSubmit, ...rest }: ComponentProps<typeof BsForm>) {
  return (
    <BsForm
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.(event);
      }}
      {...rest}
    />
  );
}
export const Form = Object.assign(FormBox, {
  Group: BsForm.Group,
  Label: BsForm.Label,
  Control: BsForm.Control,
  Select: BsForm.Select,
  Check: BsForm.Check,
  Text: BsForm.Text,
  Range: BsForm.Range,
});

interface Labelled {
  label?: ReactNode;
  /** Called with the new value itself. */
  onValue?: (value: string) => void;
}

type TextProps = ComponentProps<typeof BsForm.Control> & Labelled & { multiline?: boolean; rows?: number };

/** A field with its `label`; `multiline` for more than a line. */
export function TextInput({ label, onValue, onChange, multiline, ...rest }: TextProps) {
  const id = useId();
  const control = (
    <BsForm.Control
      id={id}
      {...(multiline ? { as: "textarea" as const, rows: 3 } : {})}
      onChange={(event) => {
        onChange?.(event);
        onValue?.(event.target.value);
      }}
      {...rest}
    />
  );
  return <Field {...{ id: rest.id ?? id, label }}>{control}</Field>;
}

/** A day, as `2026-07-31`. */
export function DatePicker(props: TextProps) {
  return <TextInput type="date" {...props} />;
}

type Option = string | number | { value: string | number; label?: string };
type SelectProps = ComponentProps<typeof BsForm.Select> & Labelled & { options?: readonly Option[] };

/** `options`: values, or `{value, label}`; or `<option>` children. */
export function Select({ label, options, children, onValue, onChange, ...rest }: SelectProps) {
  const id = useId();
  return (
    <Field id={rest.id ?? id} label={label}>
      <BsForm.Select
        id={id}
        onChange={(event) => {
          onChange?.(event);
          onValue?.(event.target.value);
        }}
        {...rest}
      >
        {children ??
          options?.map((option) => {
            const { value, label: words } = typeof option === "object" ? option : { value: option };
            return (
              <option key={value} value={value}>
                {words ?? value}
              </option>
            );
          })}
      </BsForm.Select>
    </Field>
  );
}

type ToggleProps = ComponentProps<typeof BsForm.Check> & { onValue?: (on: boolean) => void };

/** A switch: `checked`, `label`. */
export function Toggle({ onValue, onChange, ...rest }: ToggleProps) {
  const id = useId();
  return (
    <BsForm.Check
      type="switch"
      id={id}
      onChange={(event) => {
        onChange?.(event);
        onValue?.(event.target.checked);
      }}
      {...rest}
    />
  );
}

function Field({ id, label, children }: { id: string; label: ReactNode; children: ReactNode }) {
  if (label === undefined) return children;
  return (
    <div className="mb-2">
      <BsForm.Label htmlFor={id}>{label}</BsForm.Label>
      {children}
    </div>
  );
}
