import { useContext } from "react";
import { AskToDelete } from "../../../lib/deleting";
import type { RowAction } from "../api/openSessionList";
import { isArchived } from "../fold/groups";
import type { ListedSession } from "../fold/view";

interface Props {
  sessions: readonly ListedSession[];
  onAct: (action: RowAction, ids: readonly string[]) => void;
  onClose: () => void;
}

/** What can be done with several chats at once: each button does what it can, to those that it fits. */
export function SelectedBar({ sessions, onAct, onClose }: Props) {
  const ids = (fits: (one: ListedSession) => boolean) => sessions.filter(fits).map(({ id }) => id);
  const button = (words: string, action: RowAction, fits: (one: ListedSession) => boolean) => (
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
  const isTop = (one: ListedSession) => one.parent_id === null;
  const mayClose = (one: ListedSession) => isTop(one) && one.status !== "completed" && one.status !== "error";
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
      <button type="button" className="btn-close" aria-label="Select no more" onClick={onClose} />
    </div>
  );
}
