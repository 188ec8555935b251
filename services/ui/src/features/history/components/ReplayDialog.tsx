import { useEffect, useState } from "react";
import Modal from "react-bootstrap/Modal";
import { Icon } from "../../../components/Icon";
import { CodeBlock } from "../../../components/markdown/CodeBlock";
import { placeOf } from "../../../lib/address";
import { pretty } from "../../../lib/jsonText";
import { messageOf } from "../../../lib/problems";
import { historyHref } from "../../../lib/route";
import type { ReplayReport } from "../../../lib/wire";
import { count } from "../../../lib/words";
import { replayStrictly } from "../api/requests";

/** Replays a session strictly, and says what came of it. */
export function ReplayDialog({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const [report, setReport] = useState<ReplayReport | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    let gone = false;
    replayStrictly(sessionId).then(
      (found) => gone || setReport(found),
      (error: unknown) => gone || setFailure(error),
    );
    return () => {
      gone = true;
    };
  }, [sessionId]);
  return (
    <Modal show onHide={onClose} size="lg" scrollable fullscreen="sm-down" aria-labelledby="replay-title">
      <Modal.Header closeButton>
        <Modal.Title as="h2" className="fs-5" id="replay-title">
          Replay strictly
        </Modal.Title>
      </Modal.Header>
      <Modal.Body tabIndex={0}>
        <p className="text-body-secondary">
          Today's engine decides again on everything that was recorded. No model is asked, no tool runs,
          nothing is written.
        </p>
        {failure !== null && (
          <div className="alert alert-danger" role="alert">
            {messageOf(failure)}
          </div>
        )}
        {!report && failure === null && <p role="status">Replaying…</p>}
        {report && <Outcome report={report} onClose={onClose} />}
      </Modal.Body>
    </Modal>
  );
}

function Outcome({ report, onClose }: { report: ReplayReport; onClose: () => void }) {
  const { difference, decisions, events, session_id: sessionId } = report;
  if (!difference) {
    return (
      <p className="replay-same" role="status">
        <Icon name="check" /> All {count(decisions)} decisions in {count(events)} events came out the same.
      </p>
    );
  }
  const { address, recorded, decided, problem } = difference;
  return (
    <div role="status">
      <p>
        <Icon name="warning" /> The first difference is at{" "}
        <a href={historyHref(sessionId, placeOf(address))} onClick={onClose}>
          event {address}
        </a>
        . {problem}
      </p>
      {recorded && (
        <>
          <h3 className="fs-6">Recorded</h3>
          <CodeBlock label="Recorded">{pretty(recorded)}</CodeBlock>
        </>
      )}
      {decided && (
        <>
          <h3 className="fs-6">Decided today</h3>
          <CodeBlock label="Decided today">{pretty(decided)}</CodeBlock>
        </>
      )}
    </div>
  );
}
