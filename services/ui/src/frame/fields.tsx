/** The components that pages are given to ask something: their changes come as events, and to `onValue` as values. */
import { type ComponentProps, type ReactNode, useId } from "react";
import BsForm from "react-bootstrap/Form";
import { checked, checkProps, OF_FIELDS } from "./knownProps";

const MARKED = ["isInvalid", "isValid"];
const CONTROL = [...OF_FIELDS, ...MARKED, "htmlSize", "plaintext"];
const CHECK = [
  ...OF_FIELDS,
  ...MARKED,
  ...["feedback", "feedbackTooltip", "feedbackType", "inline", "label", "reverse"],
];
const FORM = [
  ...["acceptCharset", "action", "autoComplete", "encType", "method", "name", "noValidate", "target"],
  "validated",
];

/** A form; `onSubmit` never leaves the page. */
function FormBox({ onSubmit, ...rest }: ComponentProps<typeof BsForm>) {
  checkProps("Form", rest, FORM);
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
  Group: checked("Form.Group", BsForm.Group, ["controlId"]),
  Label: checked("Form.Label", BsForm.Label, ["column", "form", "htmlFor", "visuallyHidden"]),
  Control: Object.assign(checked("Form.Control", BsForm.Control, CONTROL), {
    Feedback: checked("Form.Control.Feedback", BsForm.Control.Feedback, ["tooltip", "type"]),
  }),
  Select: checked("Form.Select", BsForm.Select, CONTROL),
  Check: Object.assign(checked("Form.Check", BsForm.Check, CHECK), {
    Input: checked("Form.Check.Input", BsForm.Check.Input, CHECK),
    Label: checked("Form.Check.Label", BsForm.Check.Label, ["htmlFor"]),
  }),
  Text: checked("Form.Text", BsForm.Text, ["muted"]),
  Range: checked("Form.Range", BsForm.Range, OF_FIELDS),
});

interface Labelled {
  label?: ReactNode;
  /** Called with the new value itself. */
  onValue?: (value: string) => void;
}

type TextProps = ComponentProps<typeof BsForm.Control> & Labelled & { multiline?: boolean; rows?: number };

/** A field with its `label`; `multiline` for more than a line. */
export function TextInput({ label, onValue, onChange, multiline, ...rest }: TextProps) {
  checkProps("TextInput", rest, ["label", "multiline", "onValue", ...CONTROL]);
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
  checkProps("DatePicker", props, ["label", "onValue", ...CONTROL]);
  return <TextInput type="date" {...props} />;
}

type Option = string | number | { value: string | number; label?: string };
type SelectProps = ComponentProps<typeof BsForm.Select> & Labelled & { options?: readonly Option[] };

/** `options`: values, or `{value, label}`; or `<option>` children. */
export function Select({ label, options, children, onValue, onChange, ...rest }: SelectProps) {
  checkProps("Select", rest, ["label", "onValue", "options", ...CONTROL]);
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
  checkProps("Toggle", rest, ["onValue", ...CHECK]);
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
