import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { addressOf } from "../../../lib/address";
import { historyHref } from "../../../lib/route";
import type { TimelineEvent } from "../../../lib/wire";
import { clockTime, fullTime } from "../../../lib/words";
import type { EventList } from "../fold/list";
import { about, happened, tone } from "../fold/words";

/** Of one row, in px: rows.css has the same. */
const HEIGHT = 46;
/** So near (rows) to the end of what is loaded, the next page is fetched. */
const AHEAD = 40;

interface Props {
  sessionId: string;
  list: EventList;
  chosen: number | null;
  loading: boolean;
  onEnd: () => void;
}

/** The events, newest first. Only those in sight are in the document: a session may have very many. */
export function EventRows({ sessionId, list, chosen, loading, onEnd }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const { events } = list;
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 12,
    getItemKey: (index) => events[index]?.sequence ?? index,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const wantsMore = list.before !== null && last + AHEAD >= events.length;
  useEffect(() => {
    if (wantsMore && !loading) onEnd();
  }, [wantsMore, loading, onEnd]);

  const at = events.findIndex((event) => event.sequence === chosen);
  const { scrollToIndex } = rows;
  useEffect(() => {
    if (at >= 0) scrollToIndex(at, { align: "auto" });
  }, [at, scrollToIndex]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className="event-rows" ref={scroller} tabIndex={0} role="group" aria-label="Events, newest first">
      <ol style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const event = events[index];
          if (!event) return null;
          return (
            <li
              key={event.sequence}
              style={{ transform: `translateY(${start}px)` }}
              aria-setsize={list.before === null ? events.length : -1}
              aria-posinset={index + 1}
            >
              <EventRow sessionId={sessionId} event={event} current={event.sequence === chosen} />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

interface RowProps {
  sessionId: string;
  event: TimelineEvent;
  current: boolean;
}

function EventRow({ sessionId, event, current }: RowProps) {
  const { sequence, time, hidden_by: hiddenBy } = event;
  return (
    <a
      className={`event-row is-${tone(event)} ${hiddenBy === null ? "" : "is-hidden"}`}
      href={historyHref(sessionId, sequence)}
      aria-current={current ? "true" : undefined}
      title={time ? fullTime(time) : undefined}
    >
      <span className="event-head">
        <span className="event-what">{happened(event)}</span>
        {hiddenBy !== null && <span className="event-note">rolled back</span>}
        <span className="event-where">
          {addressOf(sequence)} · {time ? clockTime(time) : ""}
        </span>
      </span>
      <span className="event-about">{about(event)}</span>
    </a>
  );
}
