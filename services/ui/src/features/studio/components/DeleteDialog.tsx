import Modal from "react-bootstrap/Modal";
import type { Action } from "../../../lib/hooks/useAction";
import { Failure } from "./Failure";

interface Props {
  noun: string;
  name: string;
  action: Action;
  onDelete: () => void;
  onClose: () => void;
}

/** Asks whether to delete a thing, and says what that means. */
export function DeleteDialog({ noun, name, action, onDelete, onClose }: Props) {
  const secret = noun === "secret";
  return (
    <Modal show onHide={onClose} aria-labelledby="delete-title">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="delete-title">
          Delete the {noun} <code>{name}</code>?
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        <p className="mb-0">
          {secret
            ? "Its value is forgotten for good. This can't be undone. What uses it fails from now on."
            : "The agent can't use it from its next step on. Its versions are kept, and reverting to one brings it back."}
        </p>
        <Failure failure={action.failure} />
      </Modal.Body>
      <Modal.Footer>
        <button type="button" className="btn btn-outline-secondary" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="btn btn-danger" disabled={action.working} onClick={onDelete}>
          {action.working ? "Deleting…" : "Delete"}
        </button>
      </Modal.Footer>
    </Modal>
  );
}
