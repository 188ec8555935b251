import { useCallback } from "react";
import { Reading } from "../../../components/Reading";
import { useRead } from "../../../lib/hooks/useRead";
import { readTimeline } from "../api/requests";
import { rowOf } from "../fold/list";
import { tone } from "../fold/rows";
import { Row } from "./Row";

const MOST = 50;

/** What is open or failed in a session, before everything else. */
export function Attention({
  sessionId,
  at,
  revision,
}: {
  sessionId: string;
  at: number | null;
  revision: string;
}) {
  const read = useRead(
    useCallback(
      (signal) => readTimeline(sessionId, { group: "attention", q: "", limit: MOST, signal }),
      [sessionId],
    ),
    revision,
  );
  return (
    <div className="timeline-first">
      <Reading read={read}>
        {({ items: rows }) => {
          const open = rows.filter((row) => tone(row) !== "failed");
          const inOrder = [...open, ...rows.filter((row) => tone(row) === "failed")];
          const current = at === null ? -1 : rowOf(inOrder, at);
          return inOrder.length ? (
            <ol aria-label="Pending and failed">
              {inOrder.map((row, index) => (
                <li key={row.place}>
                  <Row
                    sessionId={sessionId}
                    row={row}
                    current={index === current && (row.place === at || row.endPlace === at)}
                  />
                </li>
              ))}
            </ol>
          ) : (
            <p className="side-note p-2 mb-0">Nothing is open, and nothing failed.</p>
          );
        }}
      </Reading>
    </div>
  );
}
