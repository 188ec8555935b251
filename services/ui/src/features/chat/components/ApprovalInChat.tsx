import { ApprovalCard } from "../../../components/ApprovalCard";
import { approvalOf } from "../../../lib/approvals";
import type { ToolCall } from "../../../lib/wire";
import type { TranscriptActions } from "./TranscriptEntry";

/** A call of the chat that needs a yes. One that has run with one may need another for what its code sends. */
export function ApprovalInChat({ call, actions }: { call: ToolCall; actions: TranscriptActions }) {
  const approval = approvalOf(call);
  const answering = actions.answering[call.call_id];
  const given = answering?.state === "sending" || (answering?.state === "accepted" && !approval.ran);
  return (
    <ApprovalCard
      key={`${call.call_id}${approval.ran}`}
      tool={call.tool}
      args={call.arguments}
      approval={approval}
      open={!given}
      problem={answering?.problem ?? null}
      onAnswer={(answer) => actions.answer(call.call_id, answer)}
    />
  );
}
