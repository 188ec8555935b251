import { useState } from "react";
import { CodeEditor } from "../../../../components/CodeEditor";
import { Icon } from "../../../../components/Icon";
import { useAction } from "../../../../lib/hooks/useAction";
import { pretty } from "../../../../lib/jsonText";
import { messageOf, Problem } from "../../../../lib/problems";
import type { TestRun as Ended } from "../../../../lib/wire";
import { keepArguments, readArguments } from "../../api/drafts";
import type { Place, Thing } from "../../api/requests";
import { tryOut } from "../../api/writes";
import { argumentAt, fieldsOf, fits } from "../../fold/arguments";
import { type Flaw, membersOf } from "../../fold/body";
import { effectsOf } from "../../fold/effects";
import { exampleOf } from "../../fold/example";
import { ABOUT } from "../../fold/sections";
import { ArgumentsForm } from "./ArgumentsForm";
import { RunResult } from "./RunResult";
import "../../testRun.css";

interface Props {
  place: Place & { section: "tools" | "functions" };
  thing: Thing;
}

/** Runs a tool or a function with arguments that one writes, and shows all of how it ends. */
export function TestRun({ place, thing }: Props) {
  const value = thing.value as { parameter_schema?: unknown; enabled?: boolean; code?: string };
  const fields = fieldsOf(value.parameter_schema);
  const [text, setText] = useState(() => readArguments(place) || pretty(exampleOf(value.parameter_schema)));
  const [raw, setRaw] = useState(false);
  const [flaw, setFlaw] = useState<Flaw | null>(null);
  const [ended, setEnded] = useState<Ended | null>(null);
  const action = useAction();
  const read = membersOf([{ id: "arguments", label: "Arguments", language: "json", text }]);
  const given = "members" in read ? read.members.arguments : undefined;
  const inForm = !raw && fields !== null && fits(fields, given);

  function write(now: string) {
    setText(now);
    keepArguments(place, now);
  }

  function run() {
    setFlaw("flaw" in read ? read.flaw : null);
    setEnded(null);
    action.forget();
    if ("flaw" in read) return;
    action.run(() => tryOut(place, read.members.arguments), setEnded);
  }

  const { failure } = action;
  const argument = failure instanceof Problem ? argumentAt(failure.more.path) : null;
  const atField = inForm && argument !== null && fields.some(({ name }) => name === argument);
  return (
    <section aria-label="Test run">
      <Warning code={value.code ?? ""} noun={ABOUT[place.section].noun} disabled={value.enabled === false} />
      <div
        className="btn-group btn-group-sm test-run-ways"
        role="group"
        aria-label="How to write the arguments"
      >
        <button
          type="button"
          className={`btn btn-outline-secondary ${inForm ? "active" : ""}`}
          aria-pressed={inForm}
          disabled={!inForm && (fields === null || !fits(fields, given))}
          onClick={() => setRaw(false)}
        >
          Form
        </button>
        <button
          type="button"
          className={`btn btn-outline-secondary ${inForm ? "" : "active"}`}
          aria-pressed={!inForm}
          onClick={() => setRaw(true)}
        >
          JSON
        </button>
      </div>
      {inForm ? (
        <ArgumentsForm
          fields={fields}
          all={given}
          wrong={atField ? { name: argument, message: messageOf(failure) } : null}
          onChange={(all) => write(pretty(all))}
        />
      ) : (
        <CodeEditor label="Arguments" language="json" text={text} onChange={write} mark={markOf(flaw)} />
      )}
      <button type="button" className="btn btn-primary studio-run" disabled={action.working} onClick={run}>
        <Icon name="play" size={14} /> {action.working ? "Running…" : "Run for real"}
      </button>
      {flaw && (
        <div className="alert alert-danger" role="alert">
          {flaw.message}
        </div>
      )}
      {failure !== null && !atField && (
        <div className="alert alert-danger" role="alert">
          {messageOf(failure)}
        </div>
      )}
      {ended && <RunResult ended={ended} name={place.name} code={value.code ?? ""} />}
    </section>
  );
}

function Warning({ code, noun, disabled }: { code: string; noun: string; disabled: boolean }) {
  const effects = effectsOf(code);
  return (
    <div className="test-run-effects">
      <p>
        It runs for real, once: what it changes stays changed, and the log keeps that it ran.
        {disabled && ` The ${noun} is disabled for the agent; a test run runs it all the same.`}
      </p>
      {effects.length > 0 && (
        <>
          <p>As far as its code shows, it</p>
          <ul>
            {effects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function markOf(flaw: Flaw | null) {
  return flaw?.line ? { line: flaw.line, column: flaw.column ?? 1, message: flaw.message } : null;
}
