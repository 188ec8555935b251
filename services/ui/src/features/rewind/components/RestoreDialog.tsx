import { useState } from "react";
import Modal from "react-bootstrap/Modal";
import { messageOf } from "../../../lib/problems";
import type { AgentPlace } from "../../../lib/rewinding";
import type { AgentRestored } from "../../../lib/wire";
import { previewRestore, restore } from "../api/requests";
import { type Kept, keptAtFirst, type RestoreBody, restoreBody } from "../fold/restore";
import { RestoreDone } from "./RestoreDone";
import { RestoreKinds } from "./RestoreKinds";
import { UsedBy } from "./UsedBy";
import { useGoingBack } from "./useGoingBack";

interface Props {
  place: AgentPlace;
  onClose: () => void;
  /** Restore to another place: how to undo what was done. */
  onRestore: (place: AgentPlace) => void;
}

/** Shows what would make the agent what it was, lets choose, and does it. */
export function RestoreDialog({ place, onClose, onRestore }: Props) {
  const [kept, setKept] = useState<Kept>(new Set());
  const [done, setDone] = useState<AgentRestored | null>(null);
  const { shown, failure, working, again, goBack } = useGoingBack(place, {
    read: (signal) => previewRestore(place, signal),
    onShown: (preview) => setKept(keptAtFirst(preview, place)),
    send: (body: RestoreBody, key) => restore(place, body, key),
    onDone: setDone,
  });

  const body = shown && restoreBody(shown, kept);
  const nothing = shown !== null && shown.kinds.length === 0;
  const undoing = place.undoes !== undefined;
  return (
    <Modal show onHide={onClose} scrollable size="lg" fullscreen="sm-down" aria-labelledby="restore-title">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="restore-title">
          {undoing ? "Undo the restore" : `Restore the agent to event ${place.to}`}
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        {done ? (
          <RestoreDone
            done={done}
            onUndo={() =>
              onRestore({
                agentId: place.agentId,
                to: done.sequence,
                undoes: { kinds: Object.keys(done.restored) },
              })
            }
          />
        ) : (
          <>
            {failure !== null && (
              <div className="alert alert-danger" role="alert">
                {messageOf(failure)}
              </div>
            )}
            {!shown && failure === null && <p role="status">Looking at what has changed since…</p>}
            {nothing && <p>Nothing has changed since: the agent is what it was.</p>}
            {shown && !nothing && (
              <>
                <p className="text-body-secondary">
                  The agent becomes what it was after event {shown.to}, whoever changed it since. Chats stay
                  as they are, with their files and notepads. Nothing is deleted, and you can undo it.
                </p>
                <RestoreKinds preview={shown} place={place} kept={kept} onKept={setKept} />
                <UsedBy sessions={shown.used_by} />
              </>
            )}
          </>
        )}
      </Modal.Body>
      <Modal.Footer>
        <button type="button" className="btn btn-outline-secondary" onClick={onClose}>
          {done ? "Close" : "Cancel"}
        </button>
        {!shown && failure !== null && (
          <button type="button" className="btn btn-primary" onClick={again}>
            Try again
          </button>
        )}
        {shown && !done && (
          <button
            type="button"
            className="btn btn-primary"
            disabled={!body || working}
            onClick={() => body && void goBack(body)}
          >
            {working ? "Restoring…" : undoing ? "Undo the restore" : "Restore"}
          </button>
        )}
      </Modal.Footer>
    </Modal>
  );
}
