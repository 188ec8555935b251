import { type FormEvent, useId, useState } from "react";
import Modal from "react-bootstrap/Modal";
import { useAction } from "../../../lib/hooks/useAction";
import { messageOf } from "../../../lib/problems";
import { span } from "../../../lib/words";
import { keepModel, tryModel } from "../api/requests";
import {
  missing,
  NOTHING_YET,
  OTHERS,
  OWN,
  providerOf,
  settingsOf,
  USUAL,
  type Wanted,
  withProvider,
} from "../fold/providers";
import "../setup.css";

interface Props {
  onClose: () => void;
  /** A model answered, and is the one from now on. */
  onConnected: () => void;
}

/** A provider of the longer list. */
const ANOTHER = { id: "another", name: "Another provider" };

type Tried = Awaited<ReturnType<typeof tryModel>>;

/** Two steps to a model that answers: which one, and its key; then one real call, before anything is kept. */
export function SetupDialog({ onClose, onConnected }: Props) {
  const [wanted, setWanted] = useState<Wanted>(NOTHING_YET);
  const [step, setStep] = useState<1 | 2>(1);
  const [flaw, setFlaw] = useState<string | null>(null);
  const [tried, setTried] = useState<Tried | null>(null);
  const action = useAction();
  const id = useId();
  const change = (part: Partial<Wanted>) => {
    setWanted((now) => ({ ...now, ...part }));
    setFlaw(null);
    setTried(null);
    action.forget();
  };

  // Not before: where a model is connected this dialog has no place any more.
  function close() {
    onClose();
    if (tried?.ok) onConnected();
  }

  function go(event: FormEvent) {
    event.preventDefault();
    if (tried?.ok) return close();
    if (step === 1) {
      const why = missing(wanted);
      setFlaw(why);
      if (why === null) setStep(2);
      return;
    }
    setTried(null);
    const values = settingsOf(wanted);
    action.run(async () => {
      const found = await tryModel(values);
      if (found.ok) await keepModel(values);
      return found;
    }, setTried);
  }

  return (
    <Modal show centered fullscreen="sm-down" onHide={close} aria-labelledby={id}>
      <form onSubmit={go} noValidate>
        <Modal.Header closeButton>
          <Modal.Title as="h2" className="setup-title" id={id}>
            Connect a model <span className="setup-step">step {step} of 2</span>
          </Modal.Title>
        </Modal.Header>
        <Modal.Body className="setup">
          {step === 1 ? (
            <Which
              wanted={wanted}
              onChange={change}
              onProvider={(one) => setWanted(withProvider(wanted, one))}
            />
          ) : (
            <Key wanted={wanted} onChange={change} />
          )}
          {flaw && (
            <p className="setup-problem" role="alert">
              {flaw}
            </p>
          )}
          {action.working && (
            <p className="setup-note" role="status">
              Asking {wanted.model} for a word…
            </p>
          )}
          {action.failure !== null && (
            <div className="alert alert-danger" role="alert">
              {messageOf(action.failure)} Nothing was stored.
            </div>
          )}
          {tried && <Outcome tried={tried} />}
        </Modal.Body>
        <Modal.Footer>
          {step === 2 && !tried?.ok && (
            <button
              type="button"
              className="btn btn-outline-secondary me-auto"
              disabled={action.working}
              onClick={() => setStep(1)}
            >
              Back
            </button>
          )}
          <button type="submit" className="btn btn-primary" disabled={action.working}>
            {step === 1 ? "Next" : tried?.ok ? "Begin" : "Test and use it"}
          </button>
        </Modal.Footer>
      </form>
    </Modal>
  );
}

interface StepProps {
  wanted: Wanted;
  onChange: (part: Partial<Wanted>) => void;
}

function Which({ wanted, onChange, onProvider }: StepProps & { onProvider: (id: string) => void }) {
  const own = wanted.provider === OWN;
  const isOther = OTHERS.some(({ id }) => id === wanted.provider);
  return (
    <>
      <fieldset className="setup-providers">
        <legend>Who answers?</legend>
        {[...USUAL, ANOTHER, { id: OWN, name: "Your own server" }].map(({ id, name }) => (
          <label key={id} className="setup-provider">
            <input
              type="radio"
              name="provider"
              className="form-check-input"
              checked={id === ANOTHER.id ? isOther : wanted.provider === id}
              onChange={() => onProvider(id === ANOTHER.id ? (OTHERS[0]?.id ?? OWN) : id)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      {isOther && (
        <label>
          Provider
          <select
            className="form-select"
            value={wanted.provider}
            onChange={(event) => onProvider(event.target.value)}
          >
            {OTHERS.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {own && (
        <label>
          Address
          <input
            type="url"
            className="form-control"
            placeholder="http://127.0.0.1:11434"
            value={wanted.address}
            onChange={(event) => onChange({ address: event.target.value })}
          />
        </label>
      )}
      <label>
        Model
        <input
          className="form-control"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={own ? "ollama_chat/llama3 or openai/my-model" : ""}
          value={wanted.model}
          onChange={(event) => onChange({ model: event.target.value })}
        />
      </label>
    </>
  );
}

function Key({ wanted, onChange }: StepProps) {
  const own = wanted.provider === OWN;
  const name = providerOf(wanted.provider)?.name ?? "your server";
  return (
    <>
      <label>
        {own ? "Key, if it wants one" : `Key for ${name}`}
        <input
          type="password"
          className="form-control"
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: it is what this step is about
          autoFocus
          value={wanted.key}
          onChange={(event) => onChange({ key: event.target.value })}
        />
      </label>
      <p className="setup-note">
        It is kept encrypted, as a secret: never in the log, and no agent can read it. First one short call
        shows that {wanted.model} answers; nothing is stored if it doesn't.
      </p>
    </>
  );
}

function Outcome({ tried }: { tried: Tried }) {
  if (!tried.ok) {
    return (
      <div className="alert alert-danger" role="alert">
        {tried.problem} Nothing was stored.
      </div>
    );
  }
  return (
    <div className="alert alert-success" role="status">
      {tried.model} answered in {span(tried.ms)}. It answers from now on; the Studio changes it.
    </div>
  );
}
