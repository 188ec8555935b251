import { useState } from "react";
import { CodeEditor } from "../../../../components/CodeEditor";
import { useAction } from "../../../../lib/hooks/useAction";
import { pretty } from "../../../../lib/jsonText";
import { messageOf, Problem } from "../../../../lib/problems";
import type { TestRun as Ended } from "../../../../lib/wire";
import { keepArguments, readArguments } from "../../api/drafts";
import { type Place, type Thing, tryOut } from "../../api/things";
import { type Flaw, markOf, membersOf } from "../../fold/parts";
import { argumentAt, effectsOf, exampleOf, fieldsOf, fits } from "../../fold/testRun";
import { Failure, Press } from "../controls";
import { ArgumentsForm } from "./ArgumentsForm";
import { RunResult } from "./RunResult";
import "../../testRun.css";

interface Props {
  place: Place;
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
      <Warning code={value.code ?? ""} noun={place.kind.noun} disabled={value.enabled === false} />
      <div
        className="btn-group btn-group-sm test-run-ways"
        role="group"
        aria-label="How to write the arguments"
      >
        <Press
          large
          className={inForm ? "active" : ""}
          aria-pressed={inForm}
          disabled={!inForm && (fields === null || !fits(fields, given))}
          onPress={() => setRaw(false)}
        >
          Form
        </Press>
        <Press large className={inForm ? "" : "active"} aria-pressed={!inForm} onPress={() => setRaw(true)}>
          JSON
        </Press>
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
      <Press
        large
        look="btn-primary"
        className="studio-run"
        icon="play"
        disabled={action.working}
        onPress={run}
      >
        {action.working ? "Running…" : "Run for real"}
      </Press>
      <Failure failure={flaw?.message ?? null} />
      {!atField && <Failure failure={failure} />}
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
