import { useId, useState } from "react";
import type { Setting, Settings } from "../../../../lib/wire";
import { type Drafts, typed } from "../../fold/settings";
import { belowWords, labelOf, resetWords, sourceWords } from "../../fold/settingWords";
import { SettingInput } from "./SettingInput";
import { SettingVersions } from "./SettingVersions";

interface Props {
  agentId: string | null;
  setting: Setting;
  drafts: Drafts;
  working: boolean;
  onType: (name: string, text: string) => void;
  onReset: (name: string) => void;
  onReverted: (settings: Settings) => void;
  children?: React.ReactNode;
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
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            disabled={working}
            aria-label={resetWords(setting)}
            onClick={() => onReset(name)}
          >
            {secret ? "Remove" : "Reset"}
          </button>
        )}
        {own !== null && !secret && (
          <button
            type="button"
            className="btn btn-sm btn-link"
            aria-expanded={versions}
            onClick={() => setVersions(!versions)}
          >
            Versions<span className="visually-hidden"> of {labelOf(setting)}</span>
          </button>
        )}
      </div>
      <p className="setting-help form-text" id={`${id}-help`}>
        {locked && <span className="badge text-bg-secondary">locked</span>} {secret && (isSet ? "Set. " : "")}
        {!secret && `${sentence(meaning)}.`} {(!secret || isSet) && sourceWords(setting)}
      </p>
      {versions && own !== null && (
        <SettingVersions
          key={own.sequence}
          agentId={agentId}
          setting={setting}
          onReverted={(found) => {
            setVersions(false);
            onReverted(found);
          }}
        />
      )}
    </div>
  );
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
