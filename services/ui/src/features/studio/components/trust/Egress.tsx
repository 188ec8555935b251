import { type FormEvent, useCallback, useId, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { usePages } from "../../../../lib/hooks/usePages";
import { useRead } from "../../../../lib/hooks/useRead";
import { useTicks } from "../../../../lib/hooks/useTicks";
import { historyHref } from "../../../../lib/route";
import type { Left } from "../../../../lib/wire";
import { bytes, fullTime } from "../../../../lib/words";
import { type LeftFilter, leftAsLines, readLeft } from "../../api/levers";
import { VERDICTS } from "../../fold/leverWords";
import { LeverPages } from "../operating/LeverPages";
import "../../levers.css";

const FRESH_MS = 10_000;
const LONGEST_HOST = 253;

interface Props {
  agentId: string;
  titleOf: (sessionId: string) => string | null;
}

/** What left the machine in the name of the agent's calls, and what was kept from it. */
export function Egress({ agentId, titleOf }: Props) {
  const [filter, setFilter] = useState<LeftFilter>({ host: null, verdict: null });
  const pages = usePages<string>();
  const { cursor } = pages;
  const read = useCallback(
    (signal: AbortSignal) => readLeft(agentId, filter, cursor, signal),
    [agentId, filter, cursor],
  );
  const page = useRead(read, useTicks(FRESH_MS));
  const choose = (change: Partial<LeftFilter>) => {
    setFilter({ ...filter, ...change });
    pages.restart();
  };
  return (
    <div className="studio-scrolls">
      <section className="lever-room" aria-label="What left">
        <p className="text-body-secondary">
          Each request that left this machine in the name of a call of this agent, and each that was kept from
          it. Model calls are not among them, nor what you did yourself in its browser.
        </p>
        <Filters filter={filter} onChoose={choose} />
        <Reading read={page}>
          {({ requests, next_cursor: older }) => (
            <>
              {requests.length === 0 ? (
                <p role="status">
                  {filter.host || filter.verdict ? "Nothing fits." : "Nothing has left in this agent's name."}
                </p>
              ) : (
                <Requests requests={requests} titleOf={titleOf} />
              )}
              <LeverPages
                {...{ pages, older, empty: requests.length === 0 }}
                lines={() => leftAsLines(agentId, filter)}
                name={`what-left-${agentId}.jsonl`}
              />
            </>
          )}
        </Reading>
      </section>
    </div>
  );
}

function Filters({
  filter,
  onChoose,
}: {
  filter: LeftFilter;
  onChoose: (change: Partial<LeftFilter>) => void;
}) {
  const [host, setHost] = useState(filter.host ?? "");
  const id = useId();
  const search = (event: FormEvent) => {
    event.preventDefault();
    onChoose({ host: host.trim() || null });
  };
  return (
    <form className="lever-filters" role="search" aria-label="Requests" onSubmit={search}>
      <label className="visually-hidden" htmlFor={`${id}-host`}>
        Host, or one above it
      </label>
      <input
        id={`${id}-host`}
        type="search"
        className="form-control form-control-sm"
        placeholder="Host"
        maxLength={LONGEST_HOST}
        pattern="[A-Za-z0-9.:_\\-]*"
        title="A host's name or address"
        value={host}
        onChange={(event) => setHost(event.target.value)}
      />
      <label className="visually-hidden" htmlFor={`${id}-verdict`}>
        Outcome
      </label>
      <select
        id={`${id}-verdict`}
        className="form-select form-select-sm"
        value={filter.verdict ?? ""}
        onChange={(event) => onChoose({ verdict: (event.target.value || null) as LeftFilter["verdict"] })}
      >
        <option value="">Whatever became of it</option>
        {Object.entries(VERDICTS).map(([verdict, words]) => (
          <option key={verdict} value={verdict}>
            {words}
          </option>
        ))}
      </select>
      <button type="submit" className="btn btn-sm btn-outline-primary">
        Find
      </button>
    </form>
  );
}

function Requests({ requests, titleOf }: { requests: readonly Left[]; titleOf: Props["titleOf"] }) {
  return (
    <ul className="lever-list">
      {requests.map((one, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a call may send the same twice, and rows keep nothing
        <li key={`${one.session_id} ${one.call_id} ${place}`} className="lever-item">
          <p className="lever-item-head">
            <code className="lever-words">
              {one.method} {one.host}
              {one.path}
            </code>
            <span className="badge studio-badge">
              {VERDICTS[one.verdict]}
              {one.status !== null && ` · ${one.status}`}
            </span>
          </p>
          <p className="lever-item-head text-body-secondary small">
            <span>
              {bytes(one.bytes_out)} out, {bytes(one.bytes_in)} in
            </span>
            {one.secrets.length > 0 && <span>with {one.secrets.join(", ")}</span>}
            {one.tool && <code>{one.tool}</code>}
            <span>{fullTime(one.at)}</span>
            <a href={historyHref(one.session_id, one.sequence)}>
              {titleOf(one.session_id) ?? one.title ?? "Its chat"}
            </a>
          </p>
        </li>
      ))}
    </ul>
  );
}
