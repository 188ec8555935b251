import { useCallback, useState } from "react";
import { PageLayout } from "../../../components/PageLayout";
import { Reading } from "../../../components/Reading";
import { useRead } from "../../../lib/hooks/useRead";
import type { Rewinding } from "../../../lib/rewinding";
import { historyHref } from "../../../lib/route";
import type { Draw } from "../../../lib/shown";
import { readSession } from "../api/requests";
import { rowOf } from "../fold/list";
import { indexOf, momentAt } from "../fold/stops";
import { HistoryMenu } from "./HistoryMenu";
import { Moment } from "./Moment";
import { Scrubber } from "./Scrubber";
import { type Filter, Timeline } from "./Timeline";
import { useDraft } from "./useDraft";
import { useStops } from "./useStops";
import { useTimeline } from "./useTimeline";
import "../history.css";

interface Props {
  sessionId: string;
  /** The event to show the session as of; null: now. */
  at: number | null;
  rewinding: Rewinding;
  drawBlocks: Draw;
  drawComponent: Draw;
}

/** What happened in a session, and the session and its agent as of any event of it. */
export function HistoryPage({ sessionId, at, rewinding, ...draw }: Props) {
  const session = useRead(useCallback((signal) => readSession(sessionId, signal), [sessionId]));
  const [filter, setFilter] = useState<Filter>({ group: null, q: "" });
  const [held, setHeld] = useState(false);
  const { stops, known, follow } = useStops(sessionId);
  const href = useCallback((to: number | null) => historyHref(sessionId, to ?? undefined), [sessionId]);
  const { shown, move: moveTo } = useDraft(at, href);
  const timeline = useTimeline(sessionId, stops, {
    ...filter,
    at: shown,
    held: held || shown !== null,
    onEvent: follow,
  });

  const move = useCallback((index: number) => moveTo(momentAt(stops, index)), [moveTo, stops]);
  const rows = timeline.list?.rows ?? [];
  const row =
    shown === null ? (timeline.list?.newest ? (rows[0] ?? null) : null) : (rows[rowOf(rows, shown)] ?? null);
  return (
    <PageLayout
      label="History"
      className={`history ${shown === null ? "" : "is-past"}`}
      heading={
        <h1 className="title history-title">
          {session.value?.title ?? "…"}
          <span className="visually-hidden">: history</span>
        </h1>
      }
      tools={<HistoryMenu sessionId={sessionId} title={session.value?.title ?? "Chat"} at={shown} />}
    >
      <Scrubber stops={stops} known={known} index={indexOf(stops, shown)} onMove={move} />
      <div className="history-body">
        <Timeline
          sessionId={sessionId}
          timeline={timeline}
          filter={filter}
          onFilter={setFilter}
          at={shown}
          onHold={setHeld}
        />
        <div className={`moment ${at === null ? "" : "is-chosen"}`}>
          <Reading read={session}>
            {(found) => (
              <Moment
                session={found}
                at={at}
                row={row}
                revision={at === null ? `${timeline.list?.count}` : ""}
                rewinding={rewinding}
                {...draw}
              />
            )}
          </Reading>
        </div>
      </div>
    </PageLayout>
  );
}
