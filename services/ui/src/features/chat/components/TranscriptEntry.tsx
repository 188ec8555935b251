import { memo } from "react";
import { dayWords } from "../../../lib/words";
import type { Answering } from "../api/state";
import type { Answer } from "../fold/question";
import type { TranscriptItem } from "../fold/transcript";
import { AgentMessage } from "./AgentMessage";
import { ErrorMessage } from "./ErrorMessage";
import { LiveMessage, Thinking } from "./LiveMessage";
import { QuestionCard } from "./QuestionCard";
import { ToolCard } from "./ToolCard";
import { OutgoingMessage, UserMessage } from "./UserMessage";

/** What can be done from within the conversation. Stable over renders. */
export interface TranscriptActions {
  sessionId: string;
  answering: Readonly<Record<string, Answering>>;
  answer: (callId: string, answer: Answer) => void;
  retry: (key: string) => void;
  discard: (key: string) => void;
}

/** One thing of the conversation. */
export const TranscriptEntry = memo(function TranscriptEntry({
  item,
  actions,
}: {
  item: TranscriptItem;
  actions: TranscriptActions;
}) {
  switch (item.kind) {
    case "day":
      return (
        <div className="day-line">
          <span>{dayWords(item.time, new Date())}</span>
        </div>
      );
    case "user":
      return <UserMessage message={item.message} note={item.note} />;
    case "assistant":
      return (
        <AgentMessage
          text={item.message.text}
          time={item.message.time}
          model={item.message.model}
          usage={item.message.usage}
        />
      );
    case "said":
      return <AgentMessage text={item.text} time={item.call.finished_at ?? item.call.requested_at} />;
    case "error":
      return <ErrorMessage message={item.message} />;
    case "tool":
      return <ToolCard call={item.call} sessionId={actions.sessionId} />;
    case "question":
      return (
        <QuestionCard
          call={item.call}
          answering={actions.answering[item.call.call_id]}
          onAnswer={actions.answer}
        />
      );
    case "live":
      return <LiveMessage live={item.live} />;
    case "thinking":
      return <Thinking />;
    case "stopped":
      return <p className="stopped">Stopped before there was an answer.</p>;
    case "outgoing":
      return <OutgoingMessage entry={item.entry} onRetry={actions.retry} onDiscard={actions.discard} />;
  }
});
