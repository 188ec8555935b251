import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import Modal from "react-bootstrap/Modal";
import { ErrorBoundary } from "../../../components/ErrorBoundary";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";
import type { AgentPlace, Place, Rewinding } from "../../../lib/rewinding";
import { go, sawHref } from "../../../lib/route";
import type { ForkedSession, SentFile } from "../../../lib/wire";
import { fork, replayLive } from "../api/requests";
import { AgentRewindDialog } from "./AgentRewindDialog";
import { ForkDialog } from "./ForkDialog";
import { RewindDialog } from "./RewindDialog";
import "../rewind.css";

type Open =
  | { kind: "agent"; place: AgentPlace }
  | { kind: "rewind"; place: Place; undoes: number | undefined }
  | { kind: "fork"; place: Place; message: string; files: readonly SentFile[] };

/** The ways to rewind, and the dialog that is open for one of them. */
export function useRewinding(onForked: (forked: ForkedSession) => void): {
  rewinding: Rewinding;
  dialog: ReactNode;
} {
  const [open, setOpen] = useState<Open | null>(null);
  const close = useCallback(() => setOpen(null), []);
  // On another page it would be asked about a place that one no more looks at.
  useEffect(() => {
    window.addEventListener("hashchange", close);
    return () => window.removeEventListener("hashchange", close);
  }, [close]);
  const forked = useCallback(
    (session: ForkedSession) => {
      setOpen(null);
      onForked(session);
    },
    [onForked],
  );
  const rewinding = useMemo<Rewinding>(
    () => ({
      rewindAgent: (place) => setOpen({ kind: "agent", place }),
      rewind: (place, undoes) => setOpen({ kind: "rewind", place, undoes }),
      fork: (place, message, files = []) => setOpen({ kind: "fork", place, message, files }),
      async vary(place, said) {
        const key = newKey();
        const going = () =>
          said === null
            ? replayLive(place, key)
            : fork(place, { message: said.text, files: said.files, model: "" }, key);
        forked(await retrying(going));
      },
      seen: (sessionId, callId) => go(sawHref(sessionId, callId)),
    }),
    [forked],
  );
  return {
    rewinding,
    dialog: open && (
      <ErrorBoundary fallback={(error) => <Failed error={error} onClose={close} />}>
        <Dialog open={open} rewinding={rewinding} onClose={close} onForked={forked} />
      </ErrorBoundary>
    ),
  };
}

/** In place of a dialog that failed. */
function Failed({ error, onClose }: { error: Error; onClose: () => void }) {
  return (
    <Modal show onHide={onClose} aria-labelledby="dialog-failed">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="h5" id="dialog-failed">
          This dialog stopped working
        </Modal.Title>
      </Modal.Header>
      <Modal.Body>
        <p>
          This is a fault of the page ({error.message}). Your chats are safe in the log, and what this dialog
          had done before stands in the chat's history. Close it, and open it again.
        </p>
        <button type="button" className="btn btn-primary" onClick={onClose}>
          Close
        </button>
      </Modal.Body>
    </Modal>
  );
}

interface Props {
  open: Open;
  rewinding: Rewinding;
  onClose: () => void;
  onForked: (forked: ForkedSession) => void;
}

function Dialog({ open, rewinding, onClose, onForked }: Props) {
  switch (open.kind) {
    case "agent":
      return (
        <AgentRewindDialog
          key={`${open.place.agentId} ${open.place.to}`}
          place={open.place}
          onClose={onClose}
          onRewind={rewinding.rewindAgent}
        />
      );
    case "rewind":
      return (
        <RewindDialog
          key={`${open.place.sessionId} ${open.place.at}`}
          place={open.place}
          undoes={open.undoes}
          onClose={onClose}
          onFork={(place) => rewinding.fork(place, "")}
          onRewind={(place) => rewinding.rewind(place)}
        />
      );
    case "fork":
      return (
        <ForkDialog
          place={open.place}
          message={open.message}
          files={open.files}
          onClose={onClose}
          onForked={onForked}
        />
      );
  }
}
