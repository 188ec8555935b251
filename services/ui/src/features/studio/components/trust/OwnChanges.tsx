import { useCallback, useId, useState } from "react";
import { OutsideLine } from "../../../../components/OutsideLine";
import { Reading } from "../../../../components/Reading";
import { placeOf } from "../../../../lib/address";
import { useAction } from "../../../../lib/hooks/useAction";
import { usePages } from "../../../../lib/hooks/usePages";
import { useRead } from "../../../../lib/hooks/useRead";
import { useTicks } from "../../../../lib/hooks/useTicks";
import { historyHref } from "../../../../lib/route";
import type { OwnChange } from "../../../../lib/wire";
import { clockTime, dayWords } from "../../../../lib/words";
import { readOwnChanges, undoChange } from "../../api/changes";
import { CHANGED_KINDS, changeWords } from "../../fold/changes";
import { Failure } from "../Failure";
import { PageTurns } from "../PageTurns";
import "../../levers.css";

const FRESH_MS = 10_000;

interface Props {
  agentId: string;
  titleOf: (sessionId: string) => string | null;
}

/** What the agent changed of itself: a line for each change, with the way back. */
export function OwnChanges({ agentId, titleOf }: Props) {
  const [kind, setKind] = useState<string | null>(null);
  const pages = usePages<string>();
  const { cursor } = pages;
  const id = useId();
  const page = useRead(
    useCallback(
      (signal: AbortSignal) => readOwnChanges(agentId, kind, cursor, signal),
      [agentId, kind, cursor],
    ),
    useTicks(FRESH_MS),
  );
  return (
    <div className="studio-scrolls">
      <section className="lever-room" aria-label="What changed">
        <p className="text-body-secondary">
          What this agent created, changed and deleted in itself, and what its chat had read before. Your own
          changes and the notepads and files of single chats aren't listed.
        </p>
        <div className="lever-filters">
          <label className="visually-hidden" htmlFor={id}>
            Which things
          </label>
          <select
            id={id}
            className="form-select form-select-sm"
            value={kind ?? ""}
            onChange={(event) => {
              setKind(event.target.value || null);
              pages.restart();
            }}
          >
            <option value="">Everything</option>
            {Object.entries(CHANGED_KINDS).map(([name, { plural }]) => (
              <option key={name} value={name}>
                {plural}
              </option>
            ))}
          </select>
        </div>
        <Reading read={page}>
          {({ changes, next_cursor: older }) => (
            <>
              {changes.length === 0 && <p role="status">The agent hasn't changed anything here yet.</p>}
              <Lines agentId={agentId} changes={changes} titleOf={titleOf} onUndone={page.again} />
              <PageTurns pages={pages} older={older} />
            </>
          )}
        </Reading>
      </section>
    </div>
  );
}

interface LinesProps extends Props {
  changes: readonly OwnChange[];
  onUndone: () => void;
}

/** The lines of a page, by days. */
function Lines({ agentId, changes, titleOf, onUndone }: LinesProps) {
  const now = new Date();
  return (
    <ul className="lever-list">
      {changes.map((one, place) => {
        const day = dayWords(one.at, now);
        const before = changes[place - 1];
        const begins = !before || dayWords(before.at, now) !== day;
        return (
          <li key={one.address} className="lever-item" aria-label={changeWords(one)}>
            {begins && <h2 className="studio-subtitle">{day}</h2>}
            <Line agentId={agentId} change={one} titleOf={titleOf} onUndone={onUndone} />
          </li>
        );
      })}
    </ul>
  );
}

interface LineProps extends Props {
  change: OwnChange;
  onUndone: () => void;
}

function Line({ agentId, change, titleOf, onUndone }: LineProps) {
  const action = useAction();
  const { session_id: session, why, woken_by: teller } = change;
  return (
    <>
      <p className="lever-item-head">
        <span className="lever-words">{changeWords(change)}</span>
        {change.changed_since === null ? (
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary lever-actions"
            disabled={action.working}
            onClick={() => action.run(() => undoChange(agentId, change), onUndone)}
          >
            Undo<span className="visually-hidden"> {changeWords(change)}</span>
          </button>
        ) : (
          <span className="badge studio-badge lever-actions">Changed since</span>
        )}
      </p>
      {why && (
        <p className="lever-words small" dir="auto">
          {teller ? `${teller} said` : "You said"}: {why}
        </p>
      )}
      {change.outside.length > 0 && (
        <p className="lever-words small">
          <OutsideLine sources={change.outside} words="The agent had read text from" />
        </p>
      )}
      <p className="lever-item-head text-body-secondary small">
        <span>{clockTime(change.at)}</span>
        {change.tool && <code>{change.tool}</code>}
        {session && (
          <a href={historyHref(session, placeOf(change.address))}>
            {titleOf(session) ?? change.title ?? "Its chat"}
          </a>
        )}
        {!session && <span>by a page of the agent</span>}
      </p>
      <Failure failure={action.failure} />
    </>
  );
}
