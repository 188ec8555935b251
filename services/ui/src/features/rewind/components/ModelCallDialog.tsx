import { useEffect, useState } from "react";
import Modal from "react-bootstrap/Modal";
import { readModelCall, type SeenCall } from "../../../lib/modelCall";
import { messageOf } from "../../../lib/problems";
import { SeenRequest } from "./SeenRequest";

interface Props {
  sessionId: string;
  callId: string;
  onClose: () => void;
}

/** Exactly what the model saw in one call, and what it said. */
export function ModelCallDialog({ sessionId, callId, onClose }: Props) {
  const [call, setCall] = useState<SeenCall | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    const reading = new AbortController();
    readModelCall(sessionId, callId, reading.signal).then(setCall, (error: unknown) => {
      if (!reading.signal.aborted) setFailure(error);
    });
    return () => reading.abort();
  }, [sessionId, callId]);
  return (
    <Modal show onHide={onClose} scrollable size="xl" fullscreen="md-down" aria-labelledby="seen-title">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="seen-title">
          What the model saw{call && <span className="text-body-secondary"> · call {call.number}</span>}
        </Modal.Title>
      </Modal.Header>
      {/* A region that scrolls must be reachable by keyboard. */}
      <Modal.Body tabIndex={0}>
        {failure !== null && (
          <div className="alert alert-danger" role="alert">
            {messageOf(failure)}
          </div>
        )}
        {!call && failure === null && <p role="status">Building the request again…</p>}
        {call && <SeenRequest call={call} />}
      </Modal.Body>
    </Modal>
  );
}
