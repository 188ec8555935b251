import { useState } from "react";
import Modal from "react-bootstrap/Modal";
import { messageOf } from "../../../lib/problems";
import type { AgentPlace } from "../../../lib/rewinding";
import { chatHref } from "../../../lib/route";
import type { AgentRewindPreview, AgentRewound } from "../../../lib/wire";
import { previewAgentRewind, rewindAgent } from "../api/requests";
import { type AgentRewindBody, agentRewindBody, type Kept, keptAtFirst } from "../fold/agentRewind";
import { AgentRewindKinds } from "./AgentRewindKinds";
import { RewindDone } from "./RewindDone";
import { useGoingBack } from "./useGoingBack";

interface Props {
  place: AgentPlace;
  onClose: () => void;
  /** Rewind to another place: how to undo what was done. */
  onRewind: (place: AgentPlace) => void;
}

/** Shows what would make the agent what it was, lets choose, and does it. */
export function AgentRewindDialog({ place, onClose, onRewind }: Props) {
  const [kept, setKept] = useState<Kept>(new Set());
  const [done, setDone] = useState<AgentRewound | null>(null);
  const { shown, failure, working, again, goBack } = useGoingBack(place, {
    read: (signal) => previewAgentRewind(place, signal),
    onShown: (preview) => setKept(keptAtFirst(preview, place)),
    send: (body: AgentRewindBody, key) => rewindAgent(place, body, key),
    onDone: setDone,
  });

  const body = shown && agentRewindBody(shown, kept);
  const nothing = shown !== null && shown.kinds.length === 0;
  const undoing = place.undoes !== undefined;
  return (
    <Modal
      show
      onHide={onClose}
      scrollable
      size="lg"
      fullscreen="sm-down"
      aria-labelledby="agent-rewind-title"
    >
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="agent-rewind-title">
          {undoing ? "Undo the rewind" : `Rewind the agent to event ${place.to}`}
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        {done ? (
          <RewindDone
            words={
              Object.keys(done.rewound).length
                ? `Done. The agent is as it was after event ${done.to}. This rewind is event ${done.sequence}.`
                : "Nothing had changed."
            }
            done={done}
            onUndo={() =>
              onRewind({
                agentId: place.agentId,
                to: done.sequence,
                undoes: { kinds: Object.keys(done.rewound) },
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
            {!shown && failure === null && <p role="status">Looking for later changes…</p>}
            {nothing && <p>Nothing has changed since then.</p>}
            {shown && !nothing && (
              <>
                <p className="text-body-secondary">
                  Reset the agent to event {shown.to}. This undoes every later change, by anyone. Chats stay
                  as they are, with their files and notepads. Nothing is deleted, and you can undo it.
                </p>
                <AgentRewindKinds preview={shown} place={place} kept={kept} onKept={setKept} />
                <UsedBy sessions={shown.used_by} />
              </>
            )}
          </>
        )}
      </Modal.Body>
      <Modal.Footer>
        <button type="button" className="btn btn-outline-secondary" onClick={onClose}>
          {done || working ? "Close" : "Cancel"}
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
            {working ? "Rewinding…" : undoing ? "Undo the rewind" : "Rewind"}
          </button>
        )}
      </Modal.Footer>
    </Modal>
  );
}

/** The chats that used what goes back: they stay as they are. */
function UsedBy({ sessions }: { sessions: AgentRewindPreview["used_by"] }) {
  if (!sessions.length) return null;
  return (
    <details className="rewind-part">
      <summary>
        {sessions.length === 1 ? "1 chat" : `${sessions.length} chats`} called tools that go back. They stay
        as they are.
      </summary>
      <ul>
        {sessions.map(({ session_id: id, title, tools }) => (
          <li key={id}>
            <a href={chatHref(id)}>{title ?? id}</a> called {tools.join(", ")}
          </li>
        ))}
      </ul>
    </details>
  );
}
