import { OutsideLine } from "../../../../components/OutsideLine";
import { placeOf } from "../../../../lib/address";
import { useAction } from "../../../../lib/hooks/useAction";
import { ofItself } from "../../../../lib/kinds";
import { historyHref } from "../../../../lib/route";
import type { OwnChange } from "../../../../lib/wire";
import { clockTime, dayWords } from "../../../../lib/words";
import { readOwnChanges, undoChange, type Wanted } from "../../api/operating";
import { changeWords } from "../../fold/operating";
import { Failure, type InRoom, Press } from "../controls";
import { Records } from "./Records";

type Props = Pick<InRoom, "agentId" | "titleOf">;

const EVERYTHING: { kind: string | null } = { kind: null };

const readPage = async (agentId: string, filter: typeof EVERYTHING, wanted: Wanted) => {
  const { items: changes, next_cursor } = await readOwnChanges(agentId, filter, wanted);
  return { rows: changes, next: next_cursor };
};

/** What the agent changed of itself: a line for each change, with the way back. */
export function OwnChanges({ agentId, titleOf }: Props) {
  const words = Object.fromEntries(ofItself().map(({ kind, title }) => [kind, title]));
  return (
    <Records
      agentId={agentId}
      label="What changed"
      about="What this agent created, changed and deleted in itself, and what its chat had read before. Your own changes and the notepads and files of single chats aren't listed."
      none="The agent hasn't changed anything here yet."
      any={EVERYTHING}
      narrowing={{
        ...{ label: "Changes", texts: [] },
        choice: { key: "kind", label: "Which things", any: "Everything", words },
      }}
      read={readPage}
      name={null}
    >
      {(changes, again) => {
        const now = new Date();
        return changes.map((one, place) => {
          const day = dayWords(one.changed_at, now);
          const before = changes[place - 1];
          const begins = !before || dayWords(before.changed_at, now) !== day;
          return (
            <li key={one.address} className="lever-item" aria-label={changeWords(one)}>
              {begins && <h2 className="studio-subtitle">{day}</h2>}
              <Line agentId={agentId} change={one} titleOf={titleOf} onUndone={again} />
            </li>
          );
        });
      }}
    </Records>
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
          <Press
            className="lever-actions"
            of={changeWords(change)}
            disabled={action.working}
            onPress={() => action.run(() => undoChange(agentId, change), onUndone)}
          >
            Undo
          </Press>
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
        <span>{clockTime(change.changed_at)}</span>
        {change.tool && <code>{change.tool}</code>}
        {session ? (
          <a href={historyHref(session, placeOf(change.address))}>
            {titleOf(session) ?? change.title ?? "Its chat"}
          </a>
        ) : (
          <span>by a page of the agent</span>
        )}
      </p>
      <Failure failure={action.failure} />
    </>
  );
}
