import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { PromptName } from "../../../../components/PromptName";
import { StepFieldset } from "../../../../components/StepFieldset";
import { type Entries, entriesOf, type Step, valuesOf, type Wrong } from "../../../../lib/steps";
import type { ChosenPrompt, McpPrompt } from "../../../../lib/wire";
import "../../composer.css";

interface Props {
  prompt: McpPrompt;
  busy: boolean;
  onSend: (prompt: ChosenPrompt) => void;
  onClose: () => void;
}

/** A prompt that was chosen: what it asks for is filled in here, before it is sent. */
export function PromptForm({ prompt, busy, onSend, onClose }: Props) {
  const step = stepOf(prompt);
  const [entries, setEntries] = useState<Entries>(() => entriesOf([step]));
  const [wrong, setWrong] = useState<Wrong>({});
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    form.current?.querySelector<HTMLElement>("textarea, input, button[type=submit]")?.focus();
  }, []);

  function send(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    const values = valuesOf(step.fields, entries) as Record<string, string>;
    const missing = step.fields.filter(({ name, required }) => required && !Object.hasOwn(values, name));
    setWrong(Object.fromEntries(missing.map(({ name }) => [name, "Fill this in."])));
    const [first] = missing;
    const asking = [...(form.current?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
    if (first) asking.find(({ dataset }) => dataset.field === first.name)?.focus();
    else onSend({ server: prompt.server, name: prompt.name, arguments: values });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  }

  return (
    <form
      ref={form}
      className="prompt-form block-form"
      aria-label={`Prompt ${prompt.name}`}
      onSubmit={send}
      onKeyDown={onKeyDown}
      noValidate
    >
      <p className="message-foot m-0">
        <PromptName prompt={{ server: prompt.server, name: prompt.name, arguments: {} }} />
      </p>
      <StepFieldset
        step={step}
        entries={entries}
        wrong={wrong}
        disabled={busy}
        plain
        onChange={(name, entry) => {
          setEntries({ ...entries, [name]: entry });
          const { [name]: _, ...left } = wrong;
          setWrong(left);
        }}
      />
      <div className="steps-buttons">
        <button type="submit" className="btn btn-primary btn-sm" disabled={busy}>
          {busy ? "Sending …" : "Send"}
        </button>
        <button type="button" className="btn btn-outline-secondary btn-sm" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** What the server asks for, in its words: each is a text. */
function stepOf({ title, description, arguments: asked }: McpPrompt): Step {
  return {
    title: title || null,
    description: description || null,
    fields: asked.map(({ name, description: help = "", required = false }) => ({
      name,
      label: name,
      help,
      type: "textarea",
      options: null,
      required,
      default: null,
    })),
  };
}
