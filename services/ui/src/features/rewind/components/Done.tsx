import type { RolledBack } from "../../../lib/wire";
import { changeKey, nameOf } from "../fold/plan";

/** What a rollback did, where the chat itself doesn't show it. */
export function Done({ done, onUndo }: { done: RolledBack; onUndo: () => void }) {
  const { sequence, restored, left_out: leftOut } = done;
  return (
    <div role="status">
      <p>{sequence === null ? "Done. The conversation stays as it is." : "Done. The chat went back."}</p>
      <Things words="As it was again" things={restored} />
      <Things words="Stays as it is, since others changed it too" things={leftOut} />
      {sequence === null && restored.length > 0 && (
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onUndo}>
          Undo…
        </button>
      )}
    </div>
  );
}

function Things({ words, things }: { words: string; things: readonly { kind: string; name: string }[] }) {
  if (!things.length) return null;
  return (
    <>
      <h3 className="fs-6">{words}</h3>
      <ul>
        {things.map((thing) => (
          <li key={changeKey(thing)}>{nameOf(thing)}</li>
        ))}
      </ul>
    </>
  );
}
