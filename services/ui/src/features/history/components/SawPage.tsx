import { useCallback, useEffect, useRef, useState } from "react";
import { Diff } from "../../../components/Diff";
import { Icon } from "../../../components/Icon";
import { CodeBlock } from "../../../components/markdown/CodeBlock";
import { PageLayout } from "../../../components/PageLayout";
import { Reading } from "../../../components/Reading";
import { TriedModels } from "../../../components/TriedModels";
import { useRead } from "../../../lib/hooks/useRead";
import { readModelCall } from "../../../lib/modelCall";
import { goInstead, historyHref, sawHref } from "../../../lib/route";
import type { SeenCall } from "../../../lib/seenCall";
import { count, fullTime, span } from "../../../lib/words";
import { budgetOf, goneSince, type Part, partsOf } from "../fold/seen";
import { Budget } from "./Budget";
import "../history.css";
import "../saw.css";

interface Props {
  sessionId: string;
  /** The model call's number in the session, or its id. */
  call: string;
  /** The part that is open, from 1. */
  part: number | null;
}

/** Exactly what the model saw in one call, part by part, and what it said. */
export function SawPage({ sessionId, call, part }: Props) {
  const read = useRead(
    useCallback(
      async (signal) => {
        const found = await readModelCall(sessionId, call, signal);
        const before =
          found.number > 1 ? await readModelCall(sessionId, String(found.number - 1), signal) : null;
        return { found, before };
      },
      [sessionId, call],
    ),
  );
  const number = read.value?.found.number;
  return (
    <PageLayout
      label="What the model saw"
      className="saw"
      heading={
        <h1 className="title history-title">
          What the model saw{number && <span className="history-of"> · call {number}</span>}
        </h1>
      }
      tools={
        <>
          {number && number > 1 && (
            <a
              className="btn btn-icon"
              href={sawHref(sessionId, number - 1)}
              aria-label="Call before"
              title="Call before"
            >
              <Icon name="back" />
            </a>
          )}
          {number && (
            <a
              className="btn btn-icon"
              href={sawHref(sessionId, number + 1)}
              aria-label="Call after"
              title="Call after"
            >
              <Icon name="forward" />
            </a>
          )}
          <a
            className="btn btn-icon"
            href={historyHref(sessionId, read.value?.found.requestedSequence)}
            aria-label="Its event in the history"
            title="Its event in the history"
          >
            <Icon name="rewind" />
          </a>
        </>
      }
    >
      <div className="saw-content">
        <Reading read={read}>
          {({ found, before }) => <Saw key={found.callId} {...{ sessionId, found, before, part, call }} />}
        </Reading>
      </div>
    </PageLayout>
  );
}

interface SawProps extends Props {
  found: SeenCall;
  before: SeenCall | null;
}

function Saw({ sessionId, call, found, before, part }: SawProps) {
  const { request, answer, error, requestedAt } = found;
  const [onlyNew, setOnlyNew] = useState(false);
  const earlier = before?.request ? before : null;
  const parts = partsOf(found, earlier);
  const gone = earlier && request ? goneSince(found, earlier) : [];
  const whole = Math.max(
    1,
    parts.reduce((sum, one) => sum + one.tokens, 0),
  );
  const fresh = parts.filter(isNew).length;
  return (
    <>
      <p className="saw-facts">
        {request ? `Sent to ${request.model}` : "Never sent"}, {fullTime(requestedAt)}
        {answer && (
          <>
            {" · "}
            <strong>{count(answer.usage.input)} tokens read</strong>
            {answer.usage.cached > 0 && `, ${count(answer.usage.cached)} of them cached`} ·{" "}
            {count(answer.usage.output)} written · {span(answer.latencyMs)}
          </>
        )}
        {earlier && request && ` · ${fresh} of ${parts.length} parts are new since call ${earlier.number}`}
      </p>
      {found.tried.length > 0 && (
        <div className="saw-note">
          {answer ? "Tried before, without an answer:" : "None of the models answered:"}
          <TriedModels tried={found.tried} />
        </div>
      )}
      {!request && <p>The call is still running, or it failed before anything was sent.</p>}
      {parts.length > 0 && (
        <>
          <Budget
            budget={budgetOf(parts)}
            cached={answer?.usage.input ? answer.usage.cached / answer.usage.input : null}
          />
          <p className="saw-note">
            The provider counts only the total{answer?.usage.cached ? " and the cached beginning" : ""}; the
            parts are estimates.
          </p>
          {fresh > 0 && fresh < parts.length && (
            <button
              type="button"
              className={`btn btn-sm ${onlyNew ? "btn-primary" : "btn-outline-secondary"}`}
              aria-pressed={onlyNew}
              onClick={() => setOnlyNew((now) => !now)}
            >
              New since call {earlier?.number} only
            </button>
          )}
          <ol className="saw-parts" aria-label="Parts, in the order they were sent">
            {parts.map((one, index) =>
              onlyNew && !isNew(one) ? null : (
                <PartLine
                  key={one.key}
                  part={one}
                  share={one.tokens / whole}
                  open={part === index + 1}
                  sessionId={sessionId}
                  onOpen={(open) => goInstead(sawHref(sessionId, call, open ? index + 1 : undefined))}
                />
              ),
            )}
          </ol>
        </>
      )}
      {gone.length > 0 && (
        <p className="saw-note">
          Gone since call {earlier?.number}: {gone.map(({ name }) => name).join(", ")}.
        </p>
      )}
      {error && (
        <p className="alert alert-danger">
          {error.message} ({error.kind})
        </p>
      )}
      {answer && (
        <section className="saw-answer">
          <h2>What it said</h2>
          {answer.tools.length > 0 && <p>It called {answer.tools.join(", ")}.</p>}
          {answer.text && <CodeBlock label="Answer">{answer.text}</CodeBlock>}
        </section>
      )}
    </>
  );
}

const isNew = ({ since }: Part): boolean => since === "added" || since === "changed";

/** What is as it was, and what wasn't cached, is the usual: it is said by saying nothing. */
const SINCE = { same: "", changed: "changed", added: "new" };
const CACHED = { cached: "cached", partly: "partly cached", new: "" };

interface LineProps {
  part: Part;
  share: number;
  open: boolean;
  sessionId: string;
  onOpen: (open: boolean) => void;
}

/** Stands before what a person said; the part shows it when it is opened. */
const THE_TIME = /^(?<role>\[\w+\]\s*)?\[Foldline\] It is [^\n]*\.\s+/;

function PartLine({ part, share, open, sessionId, onOpen }: LineProps) {
  const line = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the page is opened at this part
  useEffect(() => {
    if (open) line.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const { name, kind, tokens, cached, since, event, hides } = part;
  const preview = part.text
    .replace(THE_TIME, "$<role>")
    .replace(/^\[\w+\]\s*/, "")
    .replace(/\s+/g, " ")
    .slice(0, 160);
  return (
    <li ref={line} className={`saw-part is-${kind}`}>
      <button type="button" className="saw-line" aria-expanded={open} onClick={() => onOpen(!open)}>
        <span className="saw-name">
          {name}
          {kind === "summary" && <span className="saw-shadow">stands for hidden messages</span>}
        </span>
        <span className="saw-preview">{preview}</span>
        <span className={`saw-since is-${since ?? "same"}`}>{since && SINCE[since]}</span>
        <span className={`saw-cached is-${cached ?? "unknown"}`}>{cached && CACHED[cached]}</span>
        <span className="saw-tokens">
          ≈ {count(tokens)}
          <span className="visually-hidden"> tokens</span>
        </span>
        <span className="saw-bar" aria-hidden="true">
          <span className={`is-${cached ?? "unknown"}`} style={{ width: `${Math.max(0.5, share * 100)}%` }} />
        </span>
      </button>
      {open && (
        <div className="saw-text">
          {event !== null && (
            <a href={historyHref(sessionId, event)}>
              <Icon name="rewind" size={13} /> event {event}
            </a>
          )}
          {hides.length > 0 && (
            <p>
              In place of the messages of events{" "}
              {hides.map((one, index) => (
                <span key={one}>
                  {index > 0 && ", "}
                  <a href={historyHref(sessionId, one)}>{one}</a>
                </span>
              ))}
            </p>
          )}
          {part.before !== null && part.since === "changed" && (
            <Diff before={part.before} after={part.text} label={`${name}: against the call before`} />
          )}
          <CodeBlock label={name}>{part.text}</CodeBlock>
        </div>
      )}
    </li>
  );
}
