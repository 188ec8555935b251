import { type ReactNode, useId, useState } from "react";
import { capital } from "../../../../lib/kinds";
import type { Setting } from "../../../../lib/wire";
import { INSTALLATION } from "../../api/things";
import { type Drafts, typed } from "../../fold/settings";
import { belowWords, labelOf, resetWords, sourceWords } from "../../fold/settingWords";
import { pagedKind } from "../../fold/shelves";
import { Press, Select } from "../controls";
import { VersionSection } from "../versions/Versions";

interface Props {
  agentId: string | null;
  setting: Setting;
  drafts: Drafts;
  working: boolean;
  onType: (name: string, text: string) => void;
  onReset: (name: string) => void;
  onReverted: () => void;
  children?: ReactNode;
}

/** One setting: what it is for, its value, where that comes from, the way back. */
export function SettingField({
  agentId,
  setting,
  drafts,
  working,
  onType,
  onReset,
  onReverted,
  children,
}: Props) {
  const id = useId();
  const [versions, setVersions] = useState(false);
  const { name, own, form, locked, meaning, is_set: isSet } = setting;
  const secret = form === "secret";
  return (
    <div className="setting">
      <label className="setting-label" htmlFor={id}>
        {labelOf(setting)}
      </label>
      <div className="setting-value">
        <SettingInput
          id={id}
          describedBy={`${id}-help`}
          setting={setting}
          text={typed(setting, drafts)}
          placeholder={locked && !secret ? String(setting.value ?? "None") : belowWords(setting)}
          onType={(text) => onType(name, text)}
        />
        {children}
        {own !== null && !locked && (
          <Press disabled={working} aria-label={resetWords(setting)} onPress={() => onReset(name)}>
            {secret ? "Remove" : "Reset"}
          </Press>
        )}
        {own !== null && !secret && (
          <Press
            look="btn-link"
            of={`of ${labelOf(setting)}`}
            aria-expanded={versions}
            onPress={() => setVersions(!versions)}
          >
            Versions
          </Press>
        )}
      </div>
      <p className="setting-help form-text" id={`${id}-help`}>
        {locked && <span className="badge text-bg-secondary">locked</span>} {secret && (isSet ? "Set. " : "")}
        {!secret && `${capital(meaning)}.`} {(!secret || isSet) && sourceWords(setting)}
      </p>
      {versions && own !== null && (
        <div className="setting-versions">
          <VersionSection
            place={{ agentId: agentId ?? INSTALLATION, kind: pagedKind("setting"), name }}
            revision={own.sequence}
            label={`Versions of ${labelOf(setting)}`}
            level={null}
            titleOf={() => null}
            locked={locked}
            onReverted={onReverted}
          />
        </div>
      )}
    </div>
  );
}

interface InputProps {
  id: string;
  describedBy: string;
  setting: Setting;
  text: string;
  placeholder: string;
  onType: (text: string) => void;
}

/** The field of a setting, as its value is written. */
function SettingInput({ id, describedBy, setting, text, placeholder, onType }: InputProps) {
  const { form, choices, locked, name } = setting;
  const common = { id, disabled: locked, "aria-describedby": describedBy };
  if (form === "choice") {
    return (
      <Select
        {...common}
        value={locked ? "" : text}
        words={[["", placeholder], ...choices.map((one) => [one, one] as const)]}
        onChoose={onType}
      />
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
      {list && <Zones id={list} />}
    </>
  );
}

const ZONES: readonly string[] = Intl.supportedValuesOf?.("timeZone") ?? [];

/** The names of zones that a field suggests. */
export function Zones({ id }: { id: string }) {
  return (
    <datalist id={id}>
      {ZONES.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  );
}
