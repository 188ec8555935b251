import { type ReactNode, useCallback, useState } from "react";
import Modal from "react-bootstrap/Modal";
import { useAction } from "../../../lib/hooks/useAction";
import { messageOf } from "../../../lib/problems";
import type { Session } from "../../../lib/wire";
import type { OpenSessionList } from "../api/openSessionList";
import { telling } from "../fold/deleting";

/** How to ask whether chats are to be deleted, and the dialog that asks. `onDeleted` is told of those that were. */
export function useDeleting(
  list: OpenSessionList | null,
  onDeleted: (ids: readonly string[]) => void,
): { askToDelete: (chats: readonly Session[]) => void; dialog: ReactNode } {
  const [asked, setAsked] = useState<readonly Session[]>([]);
  const askToDelete = useCallback((chats: readonly Session[]) => setAsked(chats), []);
  const dialog = list && asked.length > 0 && (
    <DeleteDialog list={list} chats={asked} onClose={() => setAsked([])} onDeleted={onDeleted} />
  );
  return { askToDelete, dialog };
}

interface Props {
  list: OpenSessionList;
  chats: readonly Session[];
  onClose: () => void;
  onDeleted: (ids: readonly string[]) => void;
}

/** Says what is erased and what stays, and deletes. What could not be deleted is left to be tried again. */
function DeleteDialog({ list, chats, onClose, onDeleted }: Props) {
  const action = useAction();
  const [left, setLeft] = useState(chats);
  const words = telling(left, Object.values(list.get().view.sessions));

  async function deleteThem() {
    let rest = left;
    for (const { id } of left) {
      await list.erase(id);
      rest = rest.filter((one) => one.id !== id);
      setLeft(rest.length > 0 ? rest : left);
      onDeleted([id]);
    }
  }

  return (
    <Modal show onHide={onClose} aria-labelledby="delete-title">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="delete-title">
          {words.title}
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        <p>{words.erased}</p>
        {words.stays.map((sentence) => (
          <p className="text-body-secondary mb-2" key={sentence}>
            {sentence}
          </p>
        ))}
        {action.failure !== null && (
          <p className="text-danger-emphasis mb-0" role="alert">
            {messageOf(action.failure)} What is named above is still there.
          </p>
        )}
      </Modal.Body>
      <Modal.Footer>
        <button type="button" className="btn btn-outline-secondary" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="btn btn-danger"
          disabled={action.working}
          onClick={() => void action.run(deleteThem, onClose)}
        >
          {action.working ? "Deleting…" : words.action}
        </button>
      </Modal.Footer>
    </Modal>
  );
}
