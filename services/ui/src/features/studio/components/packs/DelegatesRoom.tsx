import { useCallback, useState } from "react";
import { Icon } from "../../../../components/Icon";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { type Delegate, readDelegates, testDelegate, writeDelegates } from "../../api/delegates";
import { Failure } from "../Failure";
import { DelegateForm } from "./DelegateForm";
import { DelegatesVersions } from "./DelegatesVersions";
import "../../levers.css";

interface Props {
  agentId: string;
  revision: string;
}

export const TYPES = {
  a2a: "Another agent (A2A)",
  openai: "A model",
  acp: "A coding agent (ACP)",
} as const;

/** The agents and models that people let the agent hand work to. */
export function DelegatesRoom({ agentId, revision }: Props) {
  const [writes, setWrites] = useState(0);
  const read = useCallback((signal: AbortSignal) => readDelegates(agentId, null, signal), [agentId]);
  const found = useRead(read, `${revision} ${writes}`);
  const action = useAction();
  const [edited, setEdited] = useState<Delegate | "new" | null>(null);
  const again = () => setWrites((before) => before + 1);
  return (
    <div className="studio-scrolls">
      <section className="lever-room" aria-label="Delegates">
        <p className="text-body-secondary">
          The agent may hand work to these other agents and models, with protoAgent's pack. It knows them by
          name, and never sees a secret. A coding agent runs in the session's workspace, as its commands do.
        </p>
        <Reading read={found}>
          {(now) => {
            const { delegates, version } = now;
            const write = (wanted: readonly Delegate[], then: () => void) =>
              action.run(() => writeDelegates(agentId, wanted, version), then, again);
            const others = (name: string) => delegates.filter((one) => one.name !== name);
            return (
              <>
                {delegates.length === 0 && <p role="status">The agent has nobody to hand work to.</p>}
                <ul className="lever-list" aria-label="All delegates">
                  {delegates.map((one) => (
                    <Row
                      key={one.name}
                      agentId={agentId}
                      delegate={one}
                      working={action.working}
                      onEdit={() => setEdited(one)}
                      onRemove={() => write(others(one.name), again)}
                    />
                  ))}
                </ul>
                {edited === null ? (
                  <button type="button" className="btn btn-outline-primary" onClick={() => setEdited("new")}>
                    <Icon name="plus" size={14} /> Add a delegate
                  </button>
                ) : (
                  <DelegateForm
                    key={edited === "new" ? "" : edited.name}
                    delegate={edited === "new" ? null : edited}
                    taken={delegates.map((one) => one.name)}
                    working={action.working}
                    onClose={() => setEdited(null)}
                    onSave={(made) => {
                      const at = delegates.findIndex((one) => one.name === made.name);
                      const all = at < 0 ? [...delegates, made] : delegates.with(at, made);
                      write(all, () => {
                        setEdited(null);
                        again();
                      });
                    }}
                  />
                )}
                <DelegatesVersions agentId={agentId} now={now} onReverted={again} />
              </>
            );
          }}
        </Reading>
        <Failure failure={action.failure} />
      </section>
    </div>
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
            <button
              type="button"
              className="btn btn-sm btn-outline-secondary"
              disabled={test.working}
              aria-label={`Test ${name}`}
              onClick={() => {
                setAnswer(null);
                test.run(() => testDelegate(agentId, name), setAnswer);
              }}
            >
              {test.working ? "Asking …" : "Test"}
            </button>
          )}
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            disabled={working}
            aria-label={`Edit ${name}`}
            onClick={onEdit}
          >
            Edit
          </button>
          <button
            type="button"
            className="btn btn-sm btn-outline-danger"
            disabled={working}
            aria-label={`Remove ${name}`}
            onClick={onRemove}
          >
            Remove
          </button>
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
