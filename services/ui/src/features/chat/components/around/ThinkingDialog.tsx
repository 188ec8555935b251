import { useState } from "react";
import Modal from "react-bootstrap/Modal";
import { isBudget, type Thinking } from "../../fold/choosing";
import { ThinkingChoice } from "../composing/ThinkingChoice";

interface Props {
  thinking: Thinking;
  onChoose: (thinking: Thinking) => void;
  onClose: () => void;
}

/** Changes how much the model of a chat thinks. */
export function ThinkingDialog({ thinking, onChoose, onClose }: Props) {
  const [choice, setChoice] = useState(thinking);
  return (
    <Modal show onHide={onClose} aria-labelledby="thinking-title">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isBudget(choice.budget)) onChoose(choice);
        }}
      >
        <Modal.Header closeButton>
          <Modal.Title as="h2" className="fs-5" id="thinking-title">
            Thinking in this chat
          </Modal.Title>
        </Modal.Header>
        <Modal.Body>
          <ThinkingChoice thinking={choice} onChoose={setChoice} />
          <p className="text-body-secondary mt-3 mb-0">
            It counts from the model's next answer on. Models without such a setting ignore it.
          </p>
        </Modal.Body>
        <Modal.Footer>
          <button type="button" className="btn btn-outline-secondary" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary" disabled={!isBudget(choice.budget)}>
            Save
          </button>
        </Modal.Footer>
      </form>
    </Modal>
  );
}
