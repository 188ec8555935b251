import Modal from "react-bootstrap/Modal";

interface Props {
  onStop: () => void;
  onClose: () => void;
}

/** Asks whether to stop a sub-session, which ends it. */
export function StopDialog({ onStop, onClose }: Props) {
  return (
    <Modal show onHide={onClose} aria-labelledby="stop-title">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="stop-title">
          Stop this sub-session?
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        <p className="mb-0">
          This ends the sub-session for good. Its last message goes to the chat that started it. You can still
          read and fork it.
        </p>
      </Modal.Body>
      <Modal.Footer>
        <button type="button" className="btn btn-outline-secondary" onClick={onClose}>
          Keep it running
        </button>
        <button type="button" className="btn btn-primary" onClick={onStop}>
          Stop it
        </button>
      </Modal.Footer>
    </Modal>
  );
}
