import { thingWords } from "../../../lib/things";
import type { AgentRestored } from "../../../lib/wire";
import { restoredWords, restoreKey, whyWords } from "../fold/restore";

/** What a restore did, and how to take it back. */
export function RestoreDone({ done, onUndo }: { done: AgentRestored; onUndo: () => void }) {
  const back = restoredWords(done);
  return (
    <div role="status">
      <p>
        {back.length
          ? `Done. The agent is what it was after event ${done.to}; event ${done.sequence} says so.`
          : "Nothing had to go back."}
      </p>
      {back.length > 0 && (
        <ul>
          {back.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      )}
      {done.stays.length > 0 && (
        <>
          <h3 className="fs-6">These stay as they are</h3>
          <ul>
            {done.stays.map(({ kind, name, why }) => (
              <li key={restoreKey(kind, name)}>
                {thingWords(kind, name)}: {whyWords(why)}
              </li>
            ))}
          </ul>
        </>
      )}
      {back.length > 0 && (
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onUndo}>
          Undo…
        </button>
      )}
    </div>
  );
}
