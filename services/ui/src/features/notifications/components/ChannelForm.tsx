import { useState } from "react";
import { Checks } from "../../../components/Check";
import { Field } from "../../../components/Field";
import { StepFieldset } from "../../../components/StepFieldset";
import { useAction } from "../../../lib/hooks/useAction";
import { messageOf, Problem } from "../../../lib/problems";
import { type Entries, entriesOf, type Step, valuesOf, type Wrong, wrongIn } from "../../../lib/steps";
import { type Kind, type Offered, type Target, type Written, writeChannel } from "../api/requests";
import { KINDS } from "./words";

interface Props {
  /** The kinds of channels, each with what it asks for. */
  offered: readonly Offered[];
  onDone: (made: Written | null) => void;
}

const stepOf = (offered: Offered | undefined): Step => ({
  title: null,
  description: null,
  fields: offered?.inputs ?? [],
});

/** Makes a channel. What is secret here goes to the server and is shown nowhere again. */
export function ChannelForm({ offered, onDone }: Props) {
  const choices = offered.filter((one) => one.by_hand);
  const [by, setBy] = useState(choices[0]?.kind ?? "");
  const [name, setName] = useState("");
  const [typed, setTyped] = useState<Entries>({});
  const [wrong, setWrong] = useState<Wrong>({});
  const [kinds, setKinds] = useState<Kind[]>(["reminder", "question", "failure"]);
  const action = useAction();
  const step = stepOf(choices.find(({ kind }) => kind === by));
  const entries = { ...entriesOf([step]), ...typed };
  const save = () => {
    const missing = wrongIn(step, { properties: {} }, entries);
    setWrong(missing);
    if (Object.keys(missing).length > 0) return;
    const target = { kind: by, ...valuesOf(step.fields, entries) } as Target;
    action.run(
      () => writeChannel(name, { target, kinds, enabled: true }),
      onDone,
      (failure) => setWrong(wrongBy(failure, step)),
    );
  };
  return (
    <form
      className="notify-form"
      aria-label="New channel"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Field label="By">
        {(tied) => (
          <select
            {...tied}
            className="form-select form-select-sm"
            value={by}
            onChange={(event) => {
              setBy(event.target.value);
              setTyped({});
              setWrong({});
            }}
          >
            {choices.map(({ kind, title }) => (
              <option key={kind} value={kind}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Name">
        {(tied) => (
          <input
            {...tied}
            className="form-control form-control-sm"
            value={name}
            required
            pattern="[a-z0-9][a-z0-9\-]{0,39}"
            title="Small letters, digits and -, such as my-phone"
            spellCheck={false}
            onChange={(event) => setName(event.target.value.toLowerCase())}
          />
        )}
      </Field>
      <StepFieldset
        step={step}
        entries={entries}
        wrong={wrong}
        disabled={action.working}
        onChange={(field, entry) => {
          setTyped({ ...typed, [field]: entry });
          setWrong(Object.fromEntries(Object.entries(wrong).filter(([of]) => of !== field)));
        }}
      />
      <Checks legend="Tell me of" words={KINDS} ticked={kinds} onChange={setKinds} inline />
      {action.failure !== null && Object.keys(wrong).length === 0 && (
        <div className="alert alert-danger" role="alert">
          {messageOf(action.failure)}
        </div>
      )}
      <div className="notify-actions">
        <button type="submit" className="btn btn-primary" disabled={action.working || kinds.length === 0}>
          {action.working ? "Saving…" : "Save"}
        </button>
        <button type="button" className="btn btn-outline-secondary" onClick={() => onDone(null)}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** What the gateway says is wrong with fields of this form. */
function wrongBy(failure: unknown, { fields }: Step): Wrong {
  const errors = failure instanceof Problem ? failure.more.errors : [];
  const found = (Array.isArray(errors) ? errors : []) as { where: string; message: string }[];
  return Object.fromEntries(
    found
      .map(({ where, message }) => [where.split("/").at(-1) ?? "", message] as const)
      .filter(([where]) => fields.some(({ name }) => name === where)),
  );
}
