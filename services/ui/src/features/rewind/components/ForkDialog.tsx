import { type FormEvent, useId, useRef, useState } from "react";
import Modal from "react-bootstrap/Modal";
import { FileCards } from "../../../components/FileCards";
import { addressOf } from "../../../lib/address";
import { newKey } from "../../../lib/newKey";
import { messageOf } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import type { Place } from "../../../lib/rewinding";
import type { ForkedSession, SentFile } from "../../../lib/wire";
import { type ForkWishes, fork } from "../api/requests";

interface Props {
  place: Place;
  /** What to say first in the fork, to be edited. */
  message: string;
  /** What comes with it. */
  files: readonly SentFile[];
  onClose: () => void;
  onForked: (forked: ForkedSession) => void;
}

/** Asks what to say first in the fork, and to which model; then makes it. */
export function ForkDialog({ place, message, files, onClose, onForked }: Props) {
  const [wishes, setWishes] = useState<ForkWishes>({ message, files, model: "" });
  const [working, setWorking] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const asked = useRef<{ wishes: ForkWishes; key: string } | null>(null);
  const id = useId();

  async function submit(event: FormEvent) {
    event.preventDefault();
    setWorking(true);
    setFailure(null);
    if (asked.current?.wishes !== wishes) asked.current = { wishes, key: newKey() };
    const { key } = asked.current;
    try {
      onForked(await retrying(() => fork(place, wishes, key)));
    } catch (error) {
      setFailure(error);
      setWorking(false);
    }
  }

  return (
    <Modal show onHide={onClose} fullscreen="sm-down" aria-labelledby={`${id}-title`}>
      <form onSubmit={submit}>
        <Modal.Header closeButton>
          <Modal.Title as="h2" className="fs-5" id={`${id}-title`}>
            Fork this chat
          </Modal.Title>
        </Modal.Header>
        <Modal.Body>
          {failure !== null && (
            <div className="alert alert-danger" role="alert">
              {messageOf(failure)}
            </div>
          )}
          <p>
            A new chat begins with what was said up to event {addressOf(place.at)}. This one stays as it is.
            What the agent has (prompt, state) is shared by both.
          </p>
          <label className="form-label" htmlFor={`${id}-message`}>
            Say first (optional)
          </label>
          <textarea
            id={`${id}-message`}
            className="form-control"
            rows={4}
            value={wishes.message}
            onChange={(event) => setWishes({ ...wishes, message: event.target.value })}
          />
          <FileCards label="Files that come with it" files={files} />
          <label className="form-label mt-3" htmlFor={`${id}-model`}>
            Another model (optional)
          </label>
          <input
            id={`${id}-model`}
            className="form-control"
            placeholder="the same as here"
            autoComplete="off"
            spellCheck={false}
            value={wishes.model}
            onChange={(event) => setWishes({ ...wishes, model: event.target.value })}
          />
        </Modal.Body>
        <Modal.Footer>
          <button type="button" className="btn btn-outline-secondary" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary" disabled={working}>
            {working ? "Forking…" : "Fork"}
          </button>
        </Modal.Footer>
      </form>
    </Modal>
  );
}
