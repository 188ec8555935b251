import { useId, useState } from "react";
import { LongText } from "../../../../components/LongText";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useReadOf } from "../../../../lib/hooks/useRead";
import { useTicks } from "../../../../lib/hooks/useTicks";
import { pretty } from "../../../../lib/jsonText";
import { chatHref } from "../../../../lib/route";
import type { Outcome } from "../../../../lib/wire";
import { count, fullTime } from "../../../../lib/words";
import { OUTCOMES, readOutcomes, settle } from "../../api/operating";
import { foundOut } from "../../fold/operating";
import { Failure, type InRoom, Press, Room, type TitleOf } from "../controls";

const FRESH_MS = 10_000;
/** Characters of a note. */
const NOTE = 2_000;

type Props = Pick<InRoom, "agentId" | "titleOf">;

/** Calls of which nobody knows whether they did their work: a person looks, and says. */
export function Outcomes({ agentId, titleOf }: Props) {
  const [settled, setSettled] = useState(false);
  const id = useId();
  const list = useReadOf(readOutcomes, [agentId, settled], useTicks(FRESH_MS));
  return (
    <Room
      label="Unknown outcomes"
      about="These calls were cut off and may or may not have happened. They never run again automatically. Check each one and mark it; the agent then continues."
    >
      <div className="form-check form-switch">
        <input
          id={id}
          type="checkbox"
          className="form-check-input"
          checked={settled}
          onChange={() => setSettled(!settled)}
        />
        <label className="form-check-label" htmlFor={id}>
          Show settled calls too
        </label>
      </div>
      <Reading read={list}>
        {(outcomes) => (
          <>
            {outcomes.length === 0 && <p role="status">No call of this agent has an unknown outcome.</p>}
            <ul className="lever-list">
              {outcomes.map((one) => (
                <OutcomeRow
                  key={`${one.session_id} ${one.call_id}`}
                  outcome={one}
                  titleOf={titleOf}
                  onSettled={list.again}
                />
              ))}
            </ul>
            {outcomes.length >= OUTCOMES && (
              <p className="text-body-secondary">The newest {count(OUTCOMES)} are shown.</p>
            )}
          </>
        )}
      </Reading>
    </Room>
  );
}

interface RowProps {
  outcome: Outcome;
  titleOf: TitleOf;
  onSettled: () => void;
}

function OutcomeRow({ outcome, titleOf, onSettled }: RowProps) {
  const { session_id, call_id, tool, arguments: given, error, title, ended_at, settled_at } = outcome;
  const [note, setNote] = useState("");
  const [said, setSaid] = useState(false);
  const action = useAction();
  const id = useId();
  const say = (happened: boolean) =>
    action.run(
      () => settle(outcome, happened, note),
      () => {
        setSaid(true);
        onSettled();
      },
    );
  return (
    <li className="lever-item" aria-label={`Call ${call_id} of ${tool}`}>
      <p className="lever-item-head">
        <code>{tool}</code>
        <span className="badge studio-badge">{foundOut(outcome)}</span>
        {ended_at && <span className="text-body-secondary small">{fullTime(ended_at)}</span>}
        <a href={chatHref(session_id)}>{titleOf(session_id) ?? title ?? "Its chat"}</a>
      </p>
      {error && (
        <p className="lever-words" dir="auto">
          {error}
        </p>
      )}
      <details>
        <summary>Arguments of the call</summary>
        <LongText label="Arguments" text={pretty(given)} />
      </details>
      {outcome.happened === null && !said && (
        <div className="lever-settle">
          <label className="form-label" htmlFor={id}>
            Note for the agent
          </label>
          <textarea
            id={id}
            className="form-control form-control-sm"
            rows={2}
            maxLength={NOTE}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
          <div className="studio-buttons">
            {([true, false] as const).map((happened) => (
              <Press
                key={String(happened)}
                look="btn-outline-primary"
                disabled={action.working}
                onPress={() => say(happened)}
              >
                {happened ? "It happened" : "It did not happen"}
              </Press>
            ))}
          </div>
        </div>
      )}
      {said && outcome.happened === null && <p role="status">Recorded. The agent continues with it.</p>}
      {settled_at && <p className="text-body-secondary small">Settled {fullTime(settled_at)}.</p>}
      <Failure failure={action.failure} />
    </li>
  );
}
