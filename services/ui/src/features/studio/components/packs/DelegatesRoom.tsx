import { useState } from "react";
import { Field } from "../../../../components/Field";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useReadOf } from "../../../../lib/hooks/useRead";
import { testDelegate } from "../../api/settings";
import { readOnly, save } from "../../api/things";
import { pagedKind } from "../../fold/shelves";
import { Failure, Form, FormEnd, type InRoom, Press, Room, Select, TextField } from "../controls";
import { VersionSection } from "../versions/Versions";

/** Another agent, a model, or a coding agent that runs in the workspace. What goes with its type alone is empty else. */
type Delegate = { name: string; type: keyof typeof TYPES } & Partial<Record<Text, string>>;
type Text = "url" | "secret" | "model" | "system_prompt" | "command" | "description";

const TYPES = { a2a: "Another agent (A2A)", openai: "A model", acp: "A coding agent (ACP)" } as const;
const CHOICES = { ...TYPES, openai: "A model (OpenAI's API)" };

type Props = InRoom;

/** The agents and models that people let the agent hand work to. */
export function DelegatesRoom({ agentId, revision, titleOf }: Props) {
  const kind = pagedKind("delegates");
  const place = { agentId, kind, name: kind.kind };
  const found = useReadOf(readOnly<{ delegates: Delegate[] }>, [agentId, kind], revision);
  const { again } = found;
  const action = useAction();
  const [edited, setEdited] = useState<Delegate | "new" | null>(null);
  return (
    <Room
      label="Delegates"
      about="The agent may hand work to these other agents and models, with protoAgent's pack. It knows them by name, and never sees a secret. A coding agent runs in the session's workspace, as its commands do."
    >
      <Reading read={found}>
        {({ version, value: { delegates } }) => {
          const write = (wanted: readonly Delegate[], then: () => void) =>
            action.run(() => save(place, { delegates: wanted }, version), then, again);
          return (
            <>
              {delegates.length === 0 && <p role="status">{kind.page.none}</p>}
              <ul className="lever-list" aria-label="All delegates">
                {delegates.map((one) => (
                  <Row
                    key={one.name}
                    agentId={agentId}
                    delegate={one}
                    working={action.working}
                    onEdit={() => setEdited(one)}
                    onRemove={() =>
                      write(
                        delegates.filter(({ name }) => name !== one.name),
                        again,
                      )
                    }
                  />
                ))}
              </ul>
              {edited === null ? (
                <Press large look="btn-outline-primary" icon="plus" onPress={() => setEdited("new")}>
                  Add a delegate
                </Press>
              ) : (
                <DelegateForm
                  key={edited === "new" ? "" : edited.name}
                  delegate={edited === "new" ? null : edited}
                  taken={delegates.map((one) => one.name)}
                  working={action.working}
                  onClose={() => setEdited(null)}
                  onSave={(made) => {
                    const at = delegates.findIndex((one) => one.name === made.name);
                    write(at < 0 ? [...delegates, made] : delegates.with(at, made), () => {
                      setEdited(null);
                      again();
                    });
                  }}
                />
              )}
              <VersionSection
                {...{ place, titleOf }}
                label="Versions of the delegates"
                level="h2"
                revision={version}
                onReverted={again}
              />
            </>
          );
        }}
      </Reading>
      <Failure failure={action.failure} />
    </Room>
  );
}

interface RowProps {
  agentId: string;
  delegate: Delegate;
  working: boolean;
  onEdit: () => void;
  onRemove: () => void;
}

function Row({ agentId, delegate, working, onEdit, onRemove }: RowProps) {
  const { name, type, description, url, command, model, secret } = delegate;
  const test = useAction();
  const [answer, setAnswer] = useState<string | null>(null);
  return (
    <li className="lever-item" aria-label={name}>
      <div className="lever-item-head">
        <strong>{name}</strong>
        <span className="badge studio-badge">{TYPES[type]}</span>
        <span className="lever-actions">
          {type !== "acp" && (
            <Press
              disabled={test.working}
              aria-label={`Test ${name}`}
              onPress={() => {
                setAnswer(null);
                test.run(() => testDelegate(agentId, name), setAnswer);
              }}
            >
              {test.working ? "Asking …" : "Test"}
            </Press>
          )}
          <Press disabled={working} aria-label={`Edit ${name}`} onPress={onEdit}>
            Edit
          </Press>
          <Press
            look="btn-outline-danger"
            disabled={working}
            aria-label={`Remove ${name}`}
            onPress={onRemove}
          >
            Remove
          </Press>
        </span>
      </div>
      {description && <p className="text-body-secondary">{description}</p>}
      <p className="small lever-words">
        <code>{command || url}</code>
        {model && ` · ${model}`}
        {secret && ` · by the secret ${secret}`}
      </p>
      {type === "acp" && (
        <p className="small text-body-secondary">
          It needs a session's workspace, so it isn't tested here: ask for it in a chat, such as “With
          code_with, let {name} say hello”.
        </p>
      )}
      {answer !== null && <p role="status">It answered: {answer}</p>}
      <Failure failure={test.failure} />
    </li>
  );
}

interface FormProps {
  /** The one to change; null: a new one. */
  delegate: Delegate | null;
  /** Names that there are already. */
  taken: readonly string[];
  working: boolean;
  onSave: (made: Delegate) => void;
  onClose: () => void;
}

/** What is asked of each type. What doesn't go with a type is not sent. */
const WANTED: Record<Delegate["type"], readonly Text[]> = {
  a2a: ["url", "secret", "description"],
  openai: ["url", "model", "secret", "system_prompt", "description"],
  acp: ["command", "description"],
};
const FIELDS: Record<Text, { label: string; required?: boolean; help?: string }> = {
  url: { label: "URL", required: true },
  model: { label: "Model", required: true },
  secret: { label: "Secret", help: "The name of a secret of the agent's, if it needs one." },
  system_prompt: { label: "System prompt" },
  command: { label: "Command", required: true, help: "Starts it in the workspace." },
  description: { label: "What it is for" },
};

/** Names a delegate, or changes one. */
function DelegateForm({ delegate, taken, working, onSave, onClose }: FormProps) {
  const [name, setName] = useState(delegate?.name ?? "");
  const [type, setType] = useState<Delegate["type"]>(delegate?.type ?? "a2a");
  const [texts, setTexts] = useState<Partial<Record<Text, string>>>(() => ({ ...delegate }));
  const isTaken = delegate === null && taken.includes(name);
  const wanted = WANTED[type];
  return (
    <Form
      label={delegate ? `Edit ${delegate.name}` : "New delegate"}
      onSubmit={() => {
        const given = wanted.map((key) => [key, texts[key]?.trim() ?? ""] as const);
        onSave({ name, type, ...Object.fromEntries(given.filter(([, text]) => text)) });
      }}
    >
      {delegate === null && (
        <TextField
          label="Name"
          flaw={isTaken ? "There is one of this name already." : null}
          value={name}
          required
          maxLength={64}
          pattern="[A-Za-z0-9][A-Za-z0-9_.\-]*"
          title="Letters, digits, _ . and -"
          onText={setName}
        />
      )}
      <Field label="What it is">
        {(tied) => (
          <Select {...tied} className="form-select" value={type} words={CHOICES} onChoose={setType} />
        )}
      </Field>
      {wanted.map((key) => (
        <TextField
          key={key}
          {...FIELDS[key]}
          {...(key === "url" && type === "openai" && { label: "URL of its server" })}
          value={texts[key] ?? ""}
          onText={(text) => setTexts({ ...texts, [key]: text })}
        />
      ))}
      <FormEnd failure={null} working={working} ready={!isTaken} onCancel={onClose} />
    </Form>
  );
}
