import { useContext } from "react";
import { AskToDelete } from "../../../lib/deleting";
import type { Session } from "../../../lib/wire";
import type { RowAction } from "../api/openSessionList";
import { isArchived } from "../fold/groups";

interface Props {
  sessions: readonly Session[];
  onAct: (action: RowAction, ids: readonly string[]) => void;
  onClose: () => void;
}

/** What can be done with several chats at once: each button does what it can, to those that it fits. */
export function SelectedBar({ sessions, onAct, onClose }: Props) {
  const ids = (fits: (one: Session) => boolean) => sessions.filter(fits).map(({ id }) => id);
  const button = (words: string, action: RowAction, fits: (one: Session) => boolean) => (
    <button
      type="button"
      className="btn btn-sm btn-outline-secondary"
      disabled={!sessions.some(fits)}
      onClick={() => onAct(action, ids(fits))}
    >
      {words}
    </button>
  );
  const askToDelete = useContext(AskToDelete);
  const isTop = (one: Session) => one.parent_id === null;
  const mayClose = (one: Session) => isTop(one) && one.status !== "completed" && one.status !== "error";
  return (
    <div className="selected-bar" role="group" aria-label="Selected chats">
      <span role="status">{sessions.length} selected</span>
      {button("Archive", "archive", mayClose)}
      {button("Reopen", "reopen", isArchived)}
      {button("Pin", "pin", (one) => !one.pinned)}
      {button("Unpin", "unpin", (one) => one.pinned ?? false)}
      <button
        type="button"
        className="btn btn-sm btn-outline-danger"
        disabled={!sessions.some(isTop)}
        onClick={() => askToDelete(sessions.filter(isTop))}
      >
        Delete…
      </button>
      <button type="button" className="btn-close" aria-label="Clear selection" onClick={onClose} />
    </div>
  );
}
