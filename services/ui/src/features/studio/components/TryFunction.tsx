import { useState } from "react";
import { CodeBlock } from "../../../components/CodeBlock";
import { CodeEditor } from "../../../components/CodeEditor";
import { Icon } from "../../../components/Icon";
import { pretty } from "../../../lib/jsonText";
import { messageOf, Problem } from "../../../lib/problems";
import { useAction } from "../../../lib/useAction";
import type { Place, Thing } from "../api/requests";
import { invoke } from "../api/writes";
import { type Flaw, membersOf } from "../fold/body";
import { exampleOf } from "../fold/example";

/** Runs a function with arguments that one writes, and shows what it returns or throws. */
export function TryFunction({ place, thing }: { place: Place; thing: Thing }) {
  const value = thing.value as { parameter_schema?: unknown; enabled?: boolean };
  const [text, setText] = useState(() => pretty(exampleOf(value.parameter_schema)));
  const [flaw, setFlaw] = useState<Flaw | null>(null);
  const [result, setResult] = useState<{ value: unknown } | null>(null);
  const action = useAction();

  function run() {
    const read = membersOf([{ id: "arguments", label: "Arguments", language: "json", text }]);
    setFlaw("flaw" in read ? read.flaw : null);
    setResult(null);
    action.forget();
    if ("flaw" in read) return;
    action.run(
      () => invoke(place, read.members.arguments),
      (found) => setResult({ value: found }),
    );
  }

  const failed = action.failure;
  const error = failed instanceof Problem ? failed.more.error : undefined;
  return (
    <section aria-label="Test run">
      <p className="text-body-secondary small">
        It runs for real: what it changes stays changed.
        {value.enabled === false && " It is disabled, so it can't be called now."}
      </p>
      <CodeEditor label="Arguments" language="json" text={text} onChange={setText} mark={markOf(flaw)} />
      <button type="button" className="btn btn-primary studio-run" disabled={action.working} onClick={run}>
        <Icon name="play" size={14} /> {action.working ? "Running…" : "Run"}
      </button>
      {flaw && (
        <div className="alert alert-danger" role="alert">
          {flaw.message}
        </div>
      )}
      {failed !== null && (
        <div className="alert alert-danger" role="alert">
          {messageOf(failed)}
          {typeof error === "object" && error !== null && "details" in error && (
            <CodeBlock label="Details of the error">{pretty(error)}</CodeBlock>
          )}
        </div>
      )}
      <div role="status">
        {result && (
          <>
            <h3 className="studio-subtitle">It returned</h3>
            <CodeBlock label="Result">{pretty(result.value) || "nothing"}</CodeBlock>
          </>
        )}
      </div>
    </section>
  );
}

function markOf(flaw: Flaw | null) {
  return flaw?.line ? { line: flaw.line, column: flaw.column ?? 1, message: flaw.message } : null;
}
