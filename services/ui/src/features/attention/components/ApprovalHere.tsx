import { useCallback, useId, useState } from "react";
import { ApprovalCard } from "../../../components/ApprovalCard";
import { Reading } from "../../../components/Reading";
import { type ApprovalAnswer, approvalOf, isApproval } from "../../../lib/approvals";
import { answerCall, readCall } from "../../../lib/calls";
import { useAction } from "../../../lib/hooks/useAction";
import { useRead } from "../../../lib/hooks/useRead";
import { newKey } from "../../../lib/newKey";
import { messageOf, Problem } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import { ANSWERED } from "../../../lib/words";
import type { WaitingThing } from "../fold/view";
import { headlineOf } from "../fold/words";

interface Props {
  thing: WaitingThing;
  onChange: () => void;
}

/** A call that needs a yes, judged without opening its chat. It is read when somebody wants to see it. */
export function ApprovalHere({ thing, onChange }: Props) {
  const [shown, setShown] = useState(false);
  const id = useId();
  const words = shown ? "Close" : "Review";
  return (
    <div className="attention-approval">
      <button
        type="button"
        className="btn btn-sm btn-outline-primary"
        aria-label={`${words}: ${headlineOf(thing)}`}
        aria-expanded={shown}
        aria-controls={shown ? id : undefined}
        onClick={() => setShown(!shown)}
      >
        {words}
      </button>
      {shown && thing.call_id !== null && (
        <div id={id}>
          <Judged
            key={`${thing.key} ${thing.started_at}`}
            sessionId={thing.session_id}
            callId={thing.call_id}
            onChange={onChange}
          />
        </div>
      )}
    </div>
  );
}

function Judged({
  sessionId,
  callId,
  onChange,
}: {
  sessionId: string;
  callId: string;
  onChange: () => void;
}) {
  const read = useRead(
    useCallback((signal: AbortSignal) => readCall(sessionId, callId, signal), [sessionId, callId]),
  );
  const action = useAction();
  const [given, setGiven] = useState(false);

  function answer(response: ApprovalAnswer) {
    const key = newKey();
    action.run(
      () => retrying(() => answerCall(sessionId, callId, response, key)),
      () => {
        setGiven(true);
        onChange();
      },
      (failure) => {
        if (!isLate(failure)) return;
        setGiven(true);
        onChange();
      },
    );
  }

  const problem = action.failure === null || isLate(action.failure) ? null : messageOf(action.failure);
  return (
    <Reading read={read}>
      {(call) =>
        call.status === "pending" && isApproval(call) ? (
          <>
            <ApprovalCard
              tool={call.tool}
              args={call.arguments}
              approval={approvalOf(call)}
              open={!given && !action.working}
              problem={problem}
              onAnswer={answer}
            />
            {isLate(action.failure) && <p role="status">{ANSWERED}</p>}
          </>
        ) : (
          <p role="status">{ANSWERED}</p>
        )
      }
    </Reading>
  );
}

/** Somebody answered it before, or it waits no more. */
const isLate = (failure: unknown): boolean => failure instanceof Problem && failure.status === 409;
