import { useState } from "react";
import Modal from "react-bootstrap/Modal";
import { addressOf } from "../../../lib/address";
import { messageOf, Problem } from "../../../lib/problems";
import type { Place } from "../../../lib/rewinding";
import type { RewindBody, Rewound } from "../../../lib/wire";
import { preview as askPreview, rewind } from "../api/requests";
import { EVERYTHING, type Plan, requestFor } from "../fold/plan";
import { Preview } from "./Preview";
import { RewindDone } from "./RewindDone";
import { useGoingBack } from "./useGoingBack";

interface Props {
  place: Place;
  /** The rewind that this takes back. */
  undoes: number | undefined;
  onClose: () => void;
  onFork: (place: Place) => void;
  /** Go back to another place: how to undo what was done. */
  onRewind: (place: Place) => void;
}

/** Shows what going back would undo, lets choose, and does it. */
export function RewindDialog({ place, undoes, onClose, onFork, onRewind }: Props) {
  const [plan, setPlan] = useState<Plan>(EVERYTHING);
  const [done, setDone] = useState<Rewound | null>(null);
  const { shown, failure, working, again, goBack } = useGoingBack(place, {
    read: (signal) => askPreview(place, signal),
    send: (body: RewindBody, key) => rewind(place, body, key),
    onDone: (result, body) => {
      // The chat itself shows that it went back; of anything else this is the only sign.
      if (body.parts.includes("conversation") && !result.stays.length) onClose();
      else setDone(result);
    },
  });

  const body = shown && requestFor(plan, shown);
  const nothing =
    shown &&
    !shown.hidden.length &&
    !shown.shown_again.length &&
    !shown.agent.length &&
    !shown.files.length &&
    !shown.database;
  const closed = failure instanceof Problem && failure.kind === "session_closed";
  return (
    <Modal show onHide={onClose} scrollable size="lg" fullscreen="sm-down" aria-labelledby="rewind-title">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="rewind-title">
          {undoes === undefined ? `Rewind this chat to event ${addressOf(place.at)}` : "Undo the rewind"}
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        {done && shown ? (
          <RewindDone
            words={plan.conversation ? "Done. The chat went back." : "Done. The conversation stays as it is."}
            done={done}
            onUndo={plan.conversation ? null : () => onRewind({ ...place, at: shown.log_sequence })}
          />
        ) : (
          <>
            {failure !== null && (
              <div className="alert alert-danger" role="alert">
                {messageOf(failure)}
              </div>
            )}
            {!shown && failure === null && <p role="status">Looking at what that would undo…</p>}
            {nothing && <p>Nothing has changed since: there is nothing to take back.</p>}
            {shown && !nothing && <Preview preview={shown} plan={plan} onPlan={setPlan} />}
          </>
        )}
      </Modal.Body>
      <Modal.Footer>
        <button type="button" className="btn btn-outline-secondary" onClick={onClose}>
          {done || working ? "Close" : "Cancel"}
        </button>
        {closed && (
          <button type="button" className="btn btn-primary" onClick={() => onFork(place)}>
            Fork it instead
          </button>
        )}
        {!shown && failure !== null && !closed && (
          <button type="button" className="btn btn-primary" onClick={again}>
            Try again
          </button>
        )}
        {shown && !done && !closed && (
          <button
            type="button"
            className="btn btn-primary"
            disabled={!body || working || Boolean(nothing)}
            onClick={() => body && void goBack(body)}
          >
            {working ? "Rewinding…" : undoes === undefined ? "Rewind" : "Undo the rewind"}
          </button>
        )}
      </Modal.Footer>
    </Modal>
  );
}
