import { useId } from "react";
import { messageOf } from "../../../lib/problems";
import type { TimelineGroup } from "../../../lib/wire";
import { count } from "../../../lib/words";
import { EventRows } from "./EventRows";
import type { TimelineState } from "./useTimeline";

const GROUPS: { group: TimelineGroup | null; words: string }[] = [
  { group: null, words: "Everything" },
  { group: "messages", words: "What was said" },
  { group: "model", words: "Model calls" },
  { group: "tools", words: "Tool calls" },
  { group: "rewind", words: "Forks and rewinds" },
];

interface Props {
  sessionId: string;
  timeline: TimelineState;
  group: TimelineGroup | null;
  onGroup: (group: TimelineGroup | null) => void;
  chosen: number | null;
}

/** What happened in a session, to choose a moment from. */
export function EventList({ sessionId, timeline, group, onGroup, chosen }: Props) {
  const { list, failure, loading, loadOlder, reload } = timeline;
  const id = useId();
  return (
    <section className="event-list" aria-label="Events">
      <div className="event-tools">
        <label className="visually-hidden" htmlFor={id}>
          Show
        </label>
        <select
          id={id}
          className="form-select form-select-sm"
          value={group ?? ""}
          onChange={(event) => onGroup((event.target.value || null) as TimelineGroup | null)}
        >
          {GROUPS.map((one) => (
            <option key={one.words} value={one.group ?? ""}>
              {one.words}
            </option>
          ))}
        </select>
        {list && <span className="event-count">{count(list.count)} events</span>}
      </div>
      {failure !== null && (
        <div className="alert alert-danger m-2" role="alert">
          {messageOf(failure)}{" "}
          <button type="button" className="btn btn-sm btn-outline-danger" onClick={reload}>
            Try again
          </button>
        </div>
      )}
      {list && list.events.length === 0 && <p className="side-note p-2">Nothing of this kind happened.</p>}
      {list && list.events.length > 0 && (
        <EventRows sessionId={sessionId} list={list} chosen={chosen} loading={loading} onEnd={loadOlder} />
      )}
    </section>
  );
}
