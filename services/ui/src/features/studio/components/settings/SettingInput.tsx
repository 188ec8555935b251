import type { Setting } from "../../../../lib/wire";

interface Props {
  id: string;
  describedBy: string;
  setting: Setting;
  text: string;
  placeholder: string;
  onType: (text: string) => void;
}

const ZONES: readonly string[] = Intl.supportedValuesOf?.("timeZone") ?? [];

/** The field of a setting, as its value is written. */
export function SettingInput({ id, describedBy, setting, text, placeholder, onType }: Props) {
  const { form, choices, locked, name } = setting;
  const common = { id, disabled: locked, "aria-describedby": describedBy };
  if (form === "choice") {
    return (
      <select
        {...common}
        className="form-select form-select-sm"
        value={locked ? "" : text}
        onChange={(event) => onType(event.target.value)}
      >
        <option value="">{placeholder}</option>
        {choices.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    );
  }
  const field = {
    ...common,
    className: "form-control form-control-sm",
    value: text,
    placeholder,
    spellCheck: false,
  };
  if (form === "prices") {
    return (
      <textarea {...field} rows={4} maxLength={100_000} onChange={(event) => onType(event.target.value)} />
    );
  }
  const list = name === "timezone" ? `${id}-zones` : undefined;
  return (
    <>
      <input
        {...field}
        type={form === "secret" ? "password" : "text"}
        inputMode={form === "number" ? "numeric" : form === "address" ? "url" : undefined}
        autoComplete={form === "secret" ? "new-password" : "off"}
        maxLength={10_000}
        list={list}
        onChange={(event) => onType(event.target.value)}
      />
      {list && (
        <datalist id={list}>
          {ZONES.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}
