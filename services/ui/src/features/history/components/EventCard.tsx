import { useCallback, useState } from "react";
import { AsWritten } from "../../../components/AsWritten";
import { Icon } from "../../../components/Icon";
import { CodeBlock } from "../../../components/markdown/CodeBlock";
import { Reading } from "../../../components/Reading";
import { addressOf, recordOf } from "../../../lib/address";
import { useRead } from "../../../lib/hooks/useRead";
import { pretty } from "../../../lib/jsonText";
import type { Rewinding } from "../../../lib/rewinding";
import { sawHref, traceHref } from "../../../lib/route";
import { list, members } from "../../../lib/shape";
import type { Session, TimelineRow } from "../../../lib/wire";
import { fullTime, span } from "../../../lib/words";
import { readEvent } from "../api/requests";
import { about, happened, icon, isModelCall, tone } from "../fold/rows";
import { ChangedHere } from "./ChangedHere";
import "../event.css";

const STATES = {
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
  running: "running",
  pending: "waits for you",
};

interface Props {
  session: Session;
  at: number | null;
  row: TimelineRow | null;
  /** How often the model had been asked by then; null: it isn't known yet. */
  asked: number | null;
  rewinding: Rewinding;
}

/** The chosen event: what it was, what it changed, and what can be done from there. */
export function EventCard({ session, at, row, asked, rewinding }: Props) {
  const { id, agent_id: agentId, status } = session;
  const [open, setOpen] = useState(false);
  const place = { sessionId: id, at: at ?? row?.place ?? session.last_sequence };
  const closed = status === "completed" || status === "error";
  return (
    <section className="event-card" aria-label={at === null ? "Now" : "The chosen event"}>
      <div className="event-line">
        <span className={`event-what ${row ? `is-${tone(row)}` : ""}`}>
          <Icon name={row ? icon(row) : "clock"} size={17} />
          <strong>{row ? happened(row) : at === null ? "Now" : `Event ${addressOf(at)}`}</strong>
        </span>
        {row?.state && <span className={`event-state is-${row.state}`}>{STATES[row.state]}</span>}
        <span className="event-facts">
          {at === null ? "the latest" : `event ${addressOf(at)}`}
          {row?.duration_ms != null && ` · ${span(row.duration_ms)}`}
          {(row?.attempts ?? 1) > 1 && ` · ${row?.attempts} attempts`}
          {row?.started_at && ` · ${fullTime(row.started_at)}`}
        </span>
      </div>
      {row && about(row) && <p className="event-about">{about(row)}</p>}
      <div className="event-actions">
        <button type="button" className="btn btn-sm btn-primary" onClick={() => rewinding.fork(place, "")}>
          <Icon name="fork" size={14} /> Fork here…
        </button>
        <Saw sessionId={id} row={row} asked={asked} />
        {!closed && at !== null && (
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            onClick={() => rewinding.rewind(place)}
          >
            <Icon name="rewind" size={14} /> Rewind to here…
          </button>
        )}
        {at !== null && (
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            onClick={() => rewinding.rewindAgent({ agentId, to: recordOf(at), sessionId: id })}
          >
            <Icon name="clock" size={14} /> Rewind the agent…
          </button>
        )}
        <a className="btn btn-sm btn-outline-secondary" href={traceHref(id, place.at)}>
          <Icon name="child" size={14} /> Trace
        </a>
        {row && (
          <button
            type="button"
            className="btn btn-sm btn-link"
            aria-expanded={open}
            onClick={() => setOpen((now) => !now)}
          >
            Details
          </button>
        )}
      </div>
      {row && row.changed.length > 0 && <ChangedHere agentId={agentId} changed={row.changed} />}
      {row && open && <Details sessionId={id} row={row} />}
    </section>
  );
}

interface SawProps {
  sessionId: string;
  row: TimelineRow | null;
  asked: number | null;
}

/** What the model saw in the call that was chosen, else in the last one as of this event. */
function Saw({ sessionId, row, asked }: SawProps) {
  const own = row && isModelCall(row) ? row.call_id : null;
  if (own === null && !asked) return null;
  return (
    <a className="btn btn-sm btn-outline-secondary" href={sawHref(sessionId, own ?? asked ?? 0)}>
      <Icon name="eye" size={14} /> {own === null ? "What the model saw last" : "What the model saw"}
    </a>
  );
}

/** The calls that a model's answer asks for. */
function callsIn(event: unknown): unknown[] {
  return list(members(members(event).body).tool_calls);
}

function Details({ sessionId, row }: { sessionId: string; row: TimelineRow }) {
  const { place, endPlace } = row;
  const read = useRead(
    useCallback(
      async (signal) => ({
        began: await readEvent(sessionId, place, signal),
        ended: endPlace === null ? null : await readEvent(sessionId, endPlace, signal),
      }),
      [sessionId, place, endPlace],
    ),
  );
  return (
    <div className="event-details">
      <dl>
        <div>
          <dt>Session</dt>
          <dd>{sessionId}</dd>
        </div>
        {row.call_id && (
          <div>
            <dt>Call</dt>
            <dd>{row.call_id}</dd>
          </div>
        )}
        {row.tool && (
          <div>
            <dt>Tool</dt>
            <dd>{row.tool}</dd>
          </div>
        )}
        <div>
          <dt>Type</dt>
          <dd>{row.type}</dd>
        </div>
      </dl>
      <Reading read={read}>
        {({ began, ended }) => (
          <>
            {[began, ended].flatMap(callsIn).map((call) => (
              <AsWritten key={String(members(call).call_id)} call={members(call)} />
            ))}
            <CodeBlock label={`Event ${row.address}`}>{pretty(began)}</CodeBlock>
            {ended !== null && <CodeBlock label={`Event ${row.end}`}>{pretty(ended)}</CodeBlock>}
          </>
        )}
      </Reading>
    </div>
  );
}
