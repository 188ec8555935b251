import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { Icon } from "../../../components/Icon";
import { Markdown } from "../../../components/markdown/Markdown";
import { StepFieldset } from "../../../components/StepFieldset";
import { actedOn, DECLINED, DISMISSED, isAnswerable, type Shown } from "../../../lib/shown";
import {
  type Entry,
  entriesOf,
  placeOf,
  type StepsShown,
  stepsOf,
  valuesOf,
  type Wrong,
  wrongIn,
} from "../../../lib/steps";
import { AddressToOpen, ServersWords } from "./ServersQuestion";
import "../blocks.css";

/** What `request_user_input` asks for: fields, one step after another, and all of them in one answer. */
export function StepsCard(shown: Shown) {
  const { call, answering, onAnswer } = shown;
  const id = useId();
  const form = stepsOf(call.show);
  const { steps, title, description, properties, server } = form;
  const [at, setAt] = useState(0);
  const [entries, setEntries] = useState(() => entriesOf(steps));
  const [wrong, setWrong] = useState<Wrong>({});
  const place = useRef<HTMLFormElement>(null);
  const waits = call.status === "pending";
  const open = isAnswerable(shown);
  const refused = answering?.state === "failed" ? placeOf(steps, answering.path) : null;
  const refusedIn = refused?.step;
  useEffect(() => {
    if (refusedIn !== undefined) setAt(refusedIn);
  }, [refusedIn]);
  const step = steps[at];
  const last = at === steps.length - 1;

  function change(name: string, entry: Entry) {
    setEntries({ ...entries, [name]: entry });
    const { [name]: _, ...left } = wrong;
    setWrong(left);
  }

  function go(to: number) {
    setAt(to);
    requestAnimationFrame(() => {
      const first = place.current?.querySelector<HTMLElement>("input, select, textarea");
      // Of radio buttons the keyboard is at the chosen one: a space at another would choose that.
      const chosen = first?.closest(".steps-cards")?.querySelector<HTMLElement>("input[type=radio]:checked");
      const isRadio = first instanceof HTMLInputElement && first.type === "radio";
      (isRadio ? (chosen ?? first) : first)?.focus();
    });
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!open || !step) return;
    const found = wrongIn(step, form, entries);
    setWrong(found);
    const [first] = Object.keys(found);
    if (first !== undefined) {
      const inputs = [...(place.current?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
      inputs.find((input) => input.dataset.field === first)?.focus();
    } else if (last) {
      const fields = steps.flatMap((one) => one.fields);
      onAnswer({ action: "submit", data: valuesOf(fields, entries, properties) });
    } else go(at + 1);
  }

  const flaws =
    refused && !(refused.name in wrong) ? { ...wrong, [refused.name]: answering?.problem ?? "" } : wrong;
  return (
    <article className={`blocks ${waits ? "is-open" : ""}`} aria-labelledby={id}>
      <h2 className="blocks-title" id={id}>
        {title}
      </h2>
      {description && <Markdown text={description} />}
      {server !== null && waits && <ServersWords server={server} />}
      {waits && step && (
        <form className="block-form steps-form" onSubmit={submit} noValidate ref={place}>
          {steps.length > 1 && (
            <p className="steps-progress" aria-live="polite">
              Step {at + 1} of {steps.length}
              <progress value={at + 1} max={steps.length} aria-hidden="true" />
            </p>
          )}
          <StepFieldset
            step={step}
            entries={entries}
            wrong={flaws}
            disabled={!open}
            plain={server !== null}
            onChange={change}
          />
          {step.url !== undefined && <AddressToOpen url={step.url} host={step.host ?? ""} />}
          <div className="steps-buttons">
            {at > 0 && (
              <button
                type="button"
                className="btn btn-outline-secondary btn-sm"
                disabled={!open}
                onClick={() => go(at - 1)}
              >
                Back
              </button>
            )}
            <button type="submit" className="btn btn-primary btn-sm" disabled={!open}>
              {answering?.state === "sending" ? "Sending …" : last ? submitWord(form) : "Next"}
            </button>
          </div>
        </form>
      )}
      {!waits && <Given shown={shown} />}
      <footer className="blocks-foot">
        {answering?.problem && (
          <p className="text-problem mb-0" role="alert">
            {answering.problem}
          </p>
        )}
        {waits && server !== null && (
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            disabled={!open}
            onClick={() => onAnswer(DECLINED)}
          >
            Decline
          </button>
        )}
        {waits && (
          <button
            type="button"
            className="btn btn-sm btn-link"
            disabled={!open}
            onClick={() => onAnswer(DISMISSED)}
          >
            Dismiss without answering
          </button>
        )}
      </footer>
    </article>
  );
}

/** What was answered, to be read. */
function Given({ shown: { call } }: { shown: Shown }) {
  const { steps } = stepsOf(call.show);
  if (call.status === "cancelled" || call.status === "failed") return <p>Closed. {call.error?.message}</p>;
  if (actedOn(call)?.action === "dismiss") return <p>Dismissed.</p>;
  const data = (call.result ?? {}) as Record<string, unknown>;
  if (typeof data.answer === "string" && "from_options" in data)
    return <p>Answered in words: {data.answer}</p>;
  const entries = entriesOf(steps, data);
  return (
    <>
      {steps.map((step, at) => (
        <StepFieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: what is shown never changes
          key={at}
          step={step}
          entries={entries}
          wrong={{}}
          disabled
          onChange={() => {}}
        />
      ))}
      <p className="blocks-foot mb-0">
        <Icon name="check" size={14} /> Submitted
      </p>
    </>
  );
}

/** What is sent leaves for a foreign server: the button says so. */
function submitWord({ server, steps }: StepsShown): string {
  if (server === null) return "Submit";
  return steps.some((step) => step.fields.length) ? `Give it to ${server}` : "I have done it";
}
