import { LongText } from "../../../../components/LongText";
import { pretty } from "../../../../lib/jsonText";
import type { TestRun } from "../../../../lib/wire";
import { count, span } from "../../../../lib/words";

/** Lines that are shown before and after the one that failed. */
const AROUND = 3;

interface Props {
  ended: TestRun;
  /** Of what ran. */
  name: string;
  code: string;
}

/** How a test run ended: what it returned or where it failed, and what its code logged. */
export function RunResult({ ended, name, code }: Props) {
  const { result, error, logs, ms, usage, call_id } = ended;
  return (
    <div className="test-run-result">
      <div role="status">
        <h3 className="studio-subtitle">
          {error ? "It failed" : "It returned"} after {span(ms)}
        </h3>
      </div>
      {error ? (
        <Failed error={error} name={name} code={code} />
      ) : (
        <LongText label="Result" text={pretty(result) || "nothing"} />
      )}
      {logs.length > 0 && (
        <>
          <h3 className="studio-subtitle">What its code logged</h3>
          <LongText label="Log" text={logs.join("\n")} />
        </>
      )}
      <p className="small text-body-secondary">
        What it changed is in the log as of call <code>{call_id}</code>.
        {usage && ` It asked models for ${count(usage.tokens)} tokens.`}
      </p>
    </div>
  );
}

type Failure = NonNullable<TestRun["error"]>;

function Failed({ error: { message, details }, name, code }: { error: Failure; name: string; code: string }) {
  const line = typeof details?.line === "number" ? details.line : null;
  const file = typeof details?.file === "string" ? details.file : null;
  const own = file === null || file === `${name}.js`;
  const lines =
    line !== null && own ? code.split("\n").slice(Math.max(0, line - 1 - AROUND), line + AROUND) : [];
  const first = Math.max(1, (line ?? 1) - AROUND);
  return (
    <>
      <div className="alert alert-danger test-run-error" role="alert" dir="auto">
        {message.slice(0, 2_000)}
        {!own && ` It was thrown in ${file}.`}
      </div>
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <div className="test-run-source" tabIndex={0} role="group" aria-label="Where it failed">
          <ol start={first}>
            {lines.map((text, at) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
                key={first + at}
                className={first + at === line ? "is-wrong" : undefined}
                aria-current={first + at === line ? "location" : undefined}
              >
                <code>{text.slice(0, 500) || " "}</code>
              </li>
            ))}
          </ol>
        </div>
      )}
      {typeof details?.stack === "string" && details.stack && (
        <details>
          <summary>Stack</summary>
          <LongText label="Stack" text={details.stack} />
        </details>
      )}
    </>
  );
}
