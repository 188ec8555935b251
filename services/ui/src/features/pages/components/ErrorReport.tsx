import { useEffect, useRef, useState } from "react";
import type { PageError } from "../../../lib/pageMessages";
import { linesAround, type SourceLine, sourceLines, whereOf } from "../fold/source";

interface Props {
  error: PageError;
  /** How many more were thrown since. */
  more: number;
  code: string;
  /** Null: nobody can be told. */
  onSend: (() => void) | null;
  onDismiss: () => void;
}

/** What a page threw, over it: where, its source, and what can be done. */
export function ErrorReport({ error, more, code, onSend, onDismiss }: Props) {
  const [shown, setShown] = useState(false);
  const [sent, setSent] = useState(false);
  const where = whereOf(error);
  const around = linesAround(code, error.line);
  return (
    <section className="page-error" role="alert" aria-label="Error of the page">
      <p className="page-error-words">
        <strong>{error.message || "The page threw an error without a message."}</strong>
        {where && <span className="page-error-where"> at {where}</span>}
        {more > 0 && <span className="text-body-secondary"> and {more} more</span>}
      </p>
      {(shown || around.length > 0) && (
        <Source key={String(shown)} lines={shown ? sourceLines(code, error.line) : around} />
      )}
      <div className="page-error-actions">
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          aria-expanded={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? "Hide source" : "Show source"}
        </button>
        {onSend && (
          <button
            type="button"
            className="btn btn-sm btn-primary"
            disabled={sent}
            onClick={() => {
              setSent(true);
              onSend();
            }}
          >
            Send error to the agent
          </button>
        )}
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onDismiss}>
          Dismiss
        </button>
      </div>
    </section>
  );
}

function Source({ lines }: { lines: readonly SourceLine[] }) {
  const wrong = useRef<HTMLLIElement>(null);
  useEffect(() => {
    wrong.current?.scrollIntoView?.({ block: "center" });
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className="page-source" tabIndex={0} role="group" aria-label="Source">
      <ol start={lines[0]?.number ?? 1}>
        {lines.map(({ number, text, wrong: marked }) => (
          <li
            key={number}
            ref={marked ? wrong : null}
            className={marked ? "is-wrong" : undefined}
            aria-current={marked ? "location" : undefined}
          >
            <code>{text || " "}</code>
          </li>
        ))}
      </ol>
    </div>
  );
}
