import { Icon } from "../../../components/Icon";
import { historyHref } from "../../../lib/route";
import type { TimelineRow } from "../../../lib/wire";
import { fullTime, secondsTime, span } from "../../../lib/words";
import { about, changedWords, happened, icon, isQuiet, momentOf, tone } from "../fold/rows";

const STATES = { failed: "failed", pending: "waits for you", running: "running", plain: "" };

interface Props {
  sessionId: string;
  row: TimelineRow;
  current: boolean;
  /** Its time stands in the row above. */
  again?: boolean;
}

/** What happened, in a line or two: what, how it went, what it changed. */
export function Row({ sessionId, row, current, again = false }: Props) {
  const { started_at: time, attempts, duration_ms: took, hidden_by: hidden } = row;
  const how = tone(row);
  const said = about(row);
  const things = changedWords(row);
  return (
    <a
      className={`row-link is-${how} ${isQuiet(row) ? "is-quiet" : ""} ${hidden === null ? "" : "is-hidden"} ${row.type === "user_message" ? "is-said" : ""}`}
      href={historyHref(sessionId, momentOf(row))}
      aria-current={current ? "true" : undefined}
      title={time ? fullTime(time) : undefined}
    >
      <span className="row-icon">
        <Icon name={icon(row)} size={15} />
      </span>
      <span className="row-what">{happened(row)}</span>
      <span className={again ? "row-when visually-hidden" : "row-when"}>{time ? secondsTime(time) : ""}</span>
      {!isQuiet(row) && (
        <span className="row-more">
          {hidden !== null && <span className="row-note">rewound</span>}
          {STATES[how] && <span className="row-state">{STATES[how]}</span>}
          {(attempts ?? 1) > 1 && <span className="row-note">{attempts} attempts</span>}
          {things.length > 0 && (
            <span className="row-changed">
              <Icon name="delta" size={10} /> {things.slice(0, 2).join(", ")}
              {things.length > 2 && ` and ${things.length - 2} more`}
            </span>
          )}
          <span className="row-about">{said}</span>
          {took !== null && <span className="row-took">{span(took)}</span>}
        </span>
      )}
    </a>
  );
}
