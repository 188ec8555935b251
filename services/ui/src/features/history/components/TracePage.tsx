import { useCallback, useEffect, useMemo, useState } from "react";
import { Icon } from "../../../components/Icon";
import { PageLayout } from "../../../components/PageLayout";
import { placeOf } from "../../../lib/address";
import { messageOf } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import { historyHref, traceHref } from "../../../lib/route";
import type { Span, Trace } from "../../../lib/wire";
import { compactCount, span as spanOfTime } from "../../../lib/words";
import { readTrace } from "../api/requests";
import { type Bar, chart, spanIcon, spanWords, ticks, toggled } from "../fold/trace";
import "../history.css";
import "../trace.css";

const STATES = {
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
  running: "running",
  pending: "waits",
};
interface Props {
  sessionId: string;
  /** An event of the turn; null: the newest turn. */
  at: number | null;
}

/** What led to what in one turn: from what was said through model and tools to the sub-sessions. */
export function TracePage({ sessionId, at }: Props) {
  const [trace, setTrace] = useState<Trace | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const reading = new AbortController();
    setTrace(null);
    setFailure(null);
    retrying(() => readTrace(sessionId, at, null, reading.signal)).then(
      (found) => reading.signal.aborted || setTrace(found),
      (error: unknown) => reading.signal.aborted || setFailure(error),
    );
    return () => reading.abort();
  }, [sessionId, at]);
  const more = useCallback(async () => {
    if (!trace?.next_cursor) return;
    try {
      const next = await readTrace(sessionId, at, trace.next_cursor);
      setTrace({
        ...trace,
        items: [...trace.items, ...next.items],
        next_cursor: next.next_cursor,
        cut: next.cut,
      });
    } catch (error) {
      setFailure(error);
    }
  }, [sessionId, at, trace]);
  const drawn = useMemo(() => chart(trace?.items ?? [], closed, Date.now()), [trace, closed]);
  const lines = ticks(drawn.whole);
  const toggle = (id: string) => setClosed((now) => toggled(now, id));
  return (
    <PageLayout
      label="Trace"
      className="trace"
      heading={<h1 className="title history-title">Trace of a turn</h1>}
      tools={
        <>
          {trace?.before && (
            <a
              className="btn btn-icon"
              href={traceHref(sessionId, placeOf(trace.before))}
              aria-label="Turn before"
              title="Turn before"
            >
              <Icon name="back" />
            </a>
          )}
          {trace?.after && (
            <a
              className="btn btn-icon"
              href={traceHref(sessionId, placeOf(trace.after))}
              aria-label="Turn after"
              title="Turn after"
            >
              <Icon name="forward" />
            </a>
          )}
          <a
            className="btn btn-icon"
            href={historyHref(sessionId, at ?? undefined)}
            aria-label="Its event in the history"
            title="Its event in the history"
          >
            <Icon name="rewind" />
          </a>
        </>
      }
    >
      {failure !== null && (
        <div className="alert alert-danger m-3" role="alert">
          {messageOf(failure)}
        </div>
      )}
      {!trace && failure === null && (
        <p className="loading side-note p-3" role="status">
          Loading…
        </p>
      )}
      {trace && drawn.bars.length === 0 && <p className="side-note p-3">No turn has begun yet.</p>}
      {trace && drawn.bars.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <div className="trace-chart" tabIndex={0} role="group" aria-label="Spans">
          <div className="trace-scale" aria-hidden="true">
            {lines.map((time) => (
              <span key={time} style={{ left: `${(time / drawn.whole) * 100}%` }}>
                {spanOfTime(time)}
              </span>
            ))}
          </div>
          <ol>
            {drawn.bars.map((bar) => (
              <TraceLine
                key={bar.span.id}
                bar={bar}
                lines={lines.map((time) => time / drawn.whole)}
                isClosed={closed.has(bar.span.id)}
                onToggle={() => toggle(bar.span.id)}
              />
            ))}
          </ol>
          {trace.next_cursor && (
            <button
              type="button"
              className="btn btn-sm btn-outline-secondary m-3"
              onClick={() => void more()}
            >
              More of this turn
            </button>
          )}
          {trace.cut && <p className="side-note p-3">It made more sub-sessions than are followed here.</p>}
        </div>
      )}
    </PageLayout>
  );
}

interface LineProps {
  bar: Bar;
  /** Where lines of time are, as parts of the whole. */
  lines: readonly number[];
  isClosed: boolean;
  onToggle: () => void;
}

function TraceLine({ bar, lines, isClosed, onToggle }: LineProps) {
  const { span, depth, from, length, took, children } = bar;
  const words = spanWords(span);
  const time = took === null ? "still running" : spanOfTime(took);
  return (
    <li className={`trace-line is-${span.kind} is-${span.state}`}>
      <span className="trace-name" style={{ paddingLeft: `${depth * 1.1 + 0.3}rem` }}>
        {children > 0 ? (
          <button
            type="button"
            className={`trace-toggle ${isClosed ? "is-closed" : ""}`}
            aria-expanded={!isClosed}
            aria-label={`What ${words} led to`}
            onClick={onToggle}
          >
            <Icon name="chevron" size={13} />
          </button>
        ) : (
          <span className="trace-toggle" />
        )}
        <Icon name={spanIcon(span)} size={14} />
        <a href={eventHref(span)} className="trace-words" title={span.text}>
          {words}
        </a>
        {span.state !== "done" && (
          <span className={`event-state is-${span.state}`}>{STATES[span.state]}</span>
        )}
        {(span.attempts ?? 1) > 1 && <span className="row-note">{span.attempts} attempts</span>}
      </span>
      <a className="trace-time" href={eventHref(span)} tabIndex={-1}>
        <span className="visually-hidden">The event of {words}: </span>
        {lines.map((at) => (
          <span key={at} className="trace-tick" style={{ left: `${at * 100}%` }} />
        ))}
        <span className="trace-bar" style={{ left: `${from * 100}%`, width: `${length * 100}%` }} />
        <span className="trace-took" style={{ left: `${(from + length) * 100}%` }}>
          {time}
          {span.tokens ? ` · ${compactCount(span.tokens)} tokens` : ""}
        </span>
      </a>
    </li>
  );
}

/** The event that ended it, in the history of its session. */
function eventHref({ session_id: sessionId, end, id }: Span): string {
  return historyHref(sessionId, placeOf(end ?? id));
}
