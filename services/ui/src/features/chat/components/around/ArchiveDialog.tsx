import Modal from "react-bootstrap/Modal";

interface Props {
  onArchive: () => void;
  onClose: () => void;
}

/** Asks whether to archive a chat, and says what that means. */
export function ArchiveDialog({ onArchive, onClose }: Props) {
  return (
    <Modal show onHide={onClose} aria-labelledby="archive-title">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="archive-title">
          Archive this chat?
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        <p className="mb-0">
          This stops the agent in this chat and closes its sub-sessions. You can still read the chat and
          reopen it.
        </p>
      </Modal.Body>
      <Modal.Footer>
        <button type="button" className="btn btn-outline-secondary" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="btn btn-primary" onClick={onArchive}>
          Archive
        </button>
      </Modal.Footer>
    </Modal>
  );
}
