import { useEffect, useState } from "react";
import Modal from "react-bootstrap/Modal";
import { newKey } from "../../../lib/newKey";
import { messageOf } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import type { Place } from "../../../lib/rewinding";
import type { Forked } from "../../../lib/wire";
import { replayLive } from "../api/requests";

interface Props {
  place: Place;
  onClose: () => void;
  onForked: (forked: Forked) => void;
}

/** Makes the fork in which the model answers once more. Stays only where that fails. */
export function AgainDialog({ place, onClose, onForked }: Props) {
  const [failure, setFailure] = useState<unknown>(null);
  const [key] = useState(newKey);
  useEffect(() => {
    let gone = false;
    retrying(() => replayLive(place, key)).then(
      (forked) => gone || onForked(forked),
      (error: unknown) => gone || setFailure(error),
    );
    return () => {
      gone = true;
    };
  }, [place, key, onForked]);
  return (
    <Modal show onHide={onClose} aria-labelledby="again-title">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="again-title">
          Answer again in a fork
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        {failure === null ? (
          <p role="status">Making a fork in which the model answers once more…</p>
        ) : (
          <div className="alert alert-danger mb-0" role="alert">
            {messageOf(failure)}
          </div>
        )}
      </Modal.Body>
    </Modal>
  );
}
