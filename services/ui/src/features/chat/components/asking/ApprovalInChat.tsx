import { ApprovalCard } from "../../../../components/ApprovalCard";
import { type ApprovalAnswer, approvalOf } from "../../../../lib/approvals";
import { questionKey } from "../../../../lib/shown";
import type { ToolCall } from "../../../../lib/wire";
import type { Answering } from "../../api/state";

interface Props {
  call: ToolCall;
  answering: Answering | undefined;
  onAnswer: (callId: string, answer: ApprovalAnswer) => void;
}

/** A call of the chat that needs a yes. One that has run with one may need another for what its code sends. */
export function ApprovalInChat({ call, answering, onAnswer }: Props) {
  const approval = approvalOf(call);
  const given =
    answering?.state === "sending" || (answering?.state === "accepted" && (!approval.ran || approval.held));
  return (
    <ApprovalCard
      key={`${questionKey(call)}${approval.ran}`}
      tool={call.tool}
      args={call.arguments}
      approval={approval}
      open={!given}
      problem={answering?.problem ?? null}
      onAnswer={(answer) => onAnswer(call.call_id, answer)}
    />
  );
}
