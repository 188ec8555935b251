import { useDeferredValue, useId, useState } from "react";
import { Icon } from "../../../components/Icon";
import { messageOf } from "../../../lib/problems";
import type { TimelineGroup } from "../../../lib/wire";
import { count } from "../../../lib/words";
import { Attention } from "./Attention";
import { Rows } from "./Rows";
import type { TimelineState } from "./useTimeline";

const GROUPS: { group: TimelineGroup | null; words: string }[] = [
  { group: null, words: "Everything" },
  { group: "messages", words: "What was said" },
  { group: "model", words: "Model calls" },
  { group: "tools", words: "Tool calls" },
  { group: "changes", words: "Changes of the agent" },
  { group: "rewind", words: "Forks and rewinds" },
];

export interface Filter {
  group: TimelineGroup | null;
  q: string;
}

interface Props {
  sessionId: string;
  timeline: TimelineState;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  /** The event that is looked at; null: now. */
  at: number | null;
  onHold: (held: boolean) => void;
}

/** What happened in a session, to choose a moment from. */
export function Timeline({ sessionId, timeline, filter, onFilter, at, onHold }: Props) {
  const { list, failure, loading, waiting, loadOlder, loadNewer, reload } = timeline;
  const [first, setFirst] = useState(false);
  const id = useId();
  const shown = useDeferredValue(list);
  const reads = [waiting, list?.rows[0]?.address].join(" ");
  return (
    <section className="timeline" aria-label="Timeline">
      <div className="timeline-tools">
        <label className="visually-hidden" htmlFor={`${id}-q`}>
          Search this history
        </label>
        <span className="timeline-search">
          <Icon name="search" size={14} />
          <input
            id={`${id}-q`}
            type="search"
            className="form-control form-control-sm"
            placeholder="Search this history"
            maxLength={200}
            value={filter.q}
            onChange={(event) => onFilter({ ...filter, q: event.target.value })}
          />
        </span>
        <div className="timeline-choices">
          <label className="visually-hidden" htmlFor={`${id}-group`}>
            Show
          </label>
          <select
            id={`${id}-group`}
            className="form-select form-select-sm"
            value={filter.group ?? ""}
            onChange={(event) =>
              onFilter({ ...filter, group: (event.target.value || null) as TimelineGroup | null })
            }
          >
            {GROUPS.map((one) => (
              <option key={one.words} value={one.group ?? ""}>
                {one.words}
              </option>
            ))}
          </select>
          <button
            type="button"
            className={`btn btn-sm ${first ? "btn-primary" : "btn-outline-secondary"}`}
            aria-pressed={first}
            onClick={() => setFirst((now) => !now)}
          >
            Pending and failed first
          </button>
        </div>
      </div>
      {failure !== null && (
        <div className="alert alert-danger m-2" role="alert">
          {messageOf(failure)}{" "}
          <button type="button" className="btn btn-sm btn-outline-danger" onClick={reload}>
            Try again
          </button>
        </div>
      )}
      {first && <Attention sessionId={sessionId} at={at} revision={reads} />}
      {(waiting > 0 || (list && !list.newest)) && (
        <button
          type="button"
          className="timeline-new"
          onClick={waiting > 0 || at === null ? reload : loadNewer}
        >
          {waiting > 0 ? `${count(waiting)} new ${waiting === 1 ? "event" : "events"}` : "Later events"}
        </button>
      )}
      {shown && shown.rows.length === 0 && <p className="side-note p-3">Nothing of this kind happened.</p>}
      {shown && shown.rows.length > 0 && (
        <Rows
          sessionId={sessionId}
          list={shown}
          at={at}
          loading={loading}
          onEnd={loadOlder}
          onHold={onHold}
        />
      )}
      {list && <p className="timeline-count">{count(list.count)} events in the log</p>}
    </section>
  );
}
