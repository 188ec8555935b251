import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { go, historyHref } from "../../../lib/route";
import type { TimelineRow } from "../../../lib/wire";
import { secondsTime } from "../../../lib/words";
import { type RowList, rowOf } from "../fold/list";
import { isQuiet, momentOf } from "../fold/rows";
import { Row } from "./Row";

/** Heights of rows in px: timeline.css has the same. */
const HEIGHT = 52;
const LOW = 30;
/** So near (rows) to the end of what is loaded, the next page is fetched. */
const AHEAD = 40;
/** Scrolled so far (px) from the newest, the list is held still. */
const HELD = 30;

interface Props {
  sessionId: string;
  list: RowList;
  at: number | null;
  loading: boolean;
  onEnd: () => void;
  onHold: (held: boolean) => void;
}

/** The rows, newest first. Only those in sight are in the document: a session may have very many. */
export function Rows({ sessionId, list, at, loading, onEnd, onHold }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const { rows } = list;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index] && isQuiet(rows[index]) ? LOW : HEIGHT),
    overscan: 8,
    getItemKey: (index) => rows[index]?.place ?? index,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const wantsMore = list.before !== null && last + AHEAD >= rows.length;
  useEffect(() => {
    if (wantsMore && !loading) onEnd();
  }, [wantsMore, loading, onEnd]);

  const current = at === null ? (list.newest ? 0 : -1) : rowOf(rows, at);
  const { scrollToIndex } = virtual;
  useEffect(() => {
    if (current >= 0) scrollToIndex(current, { align: "auto" });
  }, [current, scrollToIndex]);

  /** Up and down choose the row beside the one that has the focus. */
  function onKey(event: KeyboardEvent) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const next = step && rows[current + step];
    if (!next) return;
    event.preventDefault();
    go(historyHref(sessionId, momentOf(next)));
  }

  return (
    <div
      className="rows"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      role="group"
      aria-label="What happened, newest first"
      onKeyDown={onKey}
      onScroll={(event) => onHold(event.currentTarget.scrollTop > HELD)}
    >
      <ol style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start, size }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <li
              key={row.place}
              style={{ transform: `translateY(${start}px)`, height: size }}
              aria-setsize={list.before === null ? rows.length : -1}
              aria-posinset={index + 1}
            >
              <Row
                sessionId={sessionId}
                row={row}
                current={index === current}
                again={isSameSecond(row, rows[index - 1])}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** What happened in one second is told its time once, at the newest of it. */
function isSameSecond(row: TimelineRow, newer: TimelineRow | undefined): boolean {
  return (
    Boolean(row.started_at && newer?.started_at) &&
    secondsTime(row.started_at ?? "") === secondsTime(newer?.started_at ?? "")
  );
}
