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
          That ends it: it can't go on, and the chat that began it is told what it last said. You can still
          read it, and fork it.
        </p>
      </Modal.Body>
      <Modal.Footer>
        <button type="button" className="btn btn-outline-secondary" onClick={onClose}>
          Let it go on
        </button>
        <button type="button" className="btn btn-primary" onClick={onStop}>
          Stop it
        </button>
      </Modal.Footer>
    </Modal>
  );
}
