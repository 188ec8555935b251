import { useState } from "react";
import { Field } from "../../../../components/Field";
import type { Delegate, DelegateType } from "../../api/delegates";
import { FormEnd } from "../FormEnd";

interface Props {
  /** The one to change; null: a new one. */
  delegate: Delegate | null;
  /** Names that there are already. */
  taken: readonly string[];
  working: boolean;
  onSave: (made: Delegate) => void;
  onClose: () => void;
}

type Text = "url" | "secret" | "model" | "system_prompt" | "command" | "description";

/** Names a delegate, or changes one. What doesn't go with its type is not sent. */
export function DelegateForm({ delegate, taken, working, onSave, onClose }: Props) {
  const [name, setName] = useState(delegate?.name ?? "");
  const [type, setType] = useState<DelegateType>(delegate?.type ?? "a2a");
  const [texts, setTexts] = useState<Partial<Record<Text, string>>>(() => ({ ...delegate }));
  const isTaken = delegate === null && taken.includes(name);
  const field = (key: Text, label: string, required = false, help?: string) => (
    <Field label={label} help={help}>
      {(tied) => (
        <input
          {...tied}
          className="form-control"
          value={texts[key] ?? ""}
          required={required}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTexts({ ...texts, [key]: event.target.value })}
        />
      )}
    </Field>
  );
  const wanted: readonly Text[] =
    type === "acp"
      ? ["command", "description"]
      : type === "openai"
        ? ["url", "model", "secret", "system_prompt", "description"]
        : ["url", "secret", "description"];
  return (
    <form
      className="studio-secret-form"
      aria-label={delegate ? `Edit ${delegate.name}` : "New delegate"}
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        const given = wanted.map((key) => [key, texts[key]?.trim() ?? ""] as const);
        onSave({ name, type, ...Object.fromEntries(given.filter(([, text]) => text)) });
      }}
    >
      {delegate === null && (
        <Field label="Name" flaw={isTaken ? "There is one of this name already." : null}>
          {(tied) => (
            <input
              {...tied}
              className="form-control"
              value={name}
              required
              maxLength={64}
              pattern="[A-Za-z0-9][A-Za-z0-9_.\-]*"
              title="Letters, digits, _ . and -"
              spellCheck={false}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      )}
      <Field label="What it is">
        {(tied) => (
          <select
            {...tied}
            className="form-select"
            value={type}
            onChange={(event) => setType(event.target.value as DelegateType)}
          >
            <option value="a2a">Another agent (A2A)</option>
            <option value="openai">A model (OpenAI's API)</option>
            <option value="acp">A coding agent (ACP)</option>
          </select>
        )}
      </Field>
      {type === "acp"
        ? field("command", "Command", true, "Starts it in the workspace.")
        : field("url", type === "a2a" ? "URL" : "URL of its server", true)}
      {type === "openai" && field("model", "Model", true)}
      {type !== "acp" &&
        field("secret", "Secret", false, "The name of a secret of the agent's, if it needs one.")}
      {type === "openai" && field("system_prompt", "System prompt")}
      {field("description", "What it is for")}
      <FormEnd failure={null} working={working} ready={!isTaken} onCancel={onClose} />
    </form>
  );
}
