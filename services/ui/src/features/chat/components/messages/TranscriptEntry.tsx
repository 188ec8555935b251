import { memo } from "react";
import { AgentMessage } from "../../../../components/AgentMessage";
import { FileCards } from "../../../../components/FileCards";
import { RenderCard } from "../../../../components/RenderCard";
import { ToolCard } from "../../../../components/ToolCard";
import { UserMessage } from "../../../../components/UserMessage";
import type { ApprovalAnswer } from "../../../../lib/approvals";
import { appOf } from "../../../../lib/apps";
import { useAction } from "../../../../lib/hooks/useAction";
import { messageOf } from "../../../../lib/problems";
import type { Rewinding } from "../../../../lib/rewinding";
import { type Acted, type Draw, isComponent, questionKey, type Shown } from "../../../../lib/shown";
import type { ToolCall } from "../../../../lib/wire";
import { dayWords } from "../../../../lib/words";
import type { Answering } from "../../api/state";
import { beforeRewind } from "../../fold/places";
import type { Answer as Answered } from "../../fold/question";
import type { TranscriptItem } from "../../fold/transcript";
import type { ChatMessage, Rating } from "../../fold/view";
import { ApprovalInChat } from "../asking/ApprovalInChat";
import { HandOverCard } from "../asking/HandOverCard";
import { QuestionCard } from "../asking/QuestionCard";
import { EditMessage } from "../composing/EditMessage";
import { ErrorMessage } from "./ErrorMessage";
import { StillToCome, Thinking, Writing } from "./LiveMessage";
import { focusAction, MessageActions } from "./MessageActions";
import { MessageMenu } from "./MessageMenu";
import { AdaptedNote, IncompleteNote, StoodInNote } from "./Notes";
import { OutgoingMessage } from "./OutgoingMessage";
import { Origin, Rewound, Summary } from "./OutOfSight";
import { ReminderLine } from "./ReminderLine";
import { Thought } from "./Thought";
import { Thumbs, WhyRated } from "./Thumbs";

/** What can be done from within the conversation. Stable over renders. */
export interface TranscriptActions {
  sessionId: string;
  agentId: string;
  /** False once the session is closed: then it can be forked, and not go back. */
  canRewind: boolean;
  rewinding: Rewinding;
  answering: Readonly<Record<string, Answering>>;
  answer: (callId: string, answer: Answered | Acted | ApprovalAnswer) => void;
  drawBlocks: Draw;
  /** Draws the app that a call brought. */
  drawApp: Draw;
  /** Show the component of a call in the canvas. */
  openCanvas: (callId: string) => void;
  /** Say a message in other words, or stop doing so (null). */
  edit: (sequence: number | null) => void;
  /** Go on another way from a message: with these words in its place, or (null) with another answer. */
  vary: (message: ChatMessage, text: string | null) => Promise<void>;
  /** Rate an answer, or (null) take the rating back. */
  rate: (message: ChatMessage, rating: Rating | null) => Promise<unknown>;
  retry: (key: string) => void;
  discard: (key: string) => void;
  /** Ask the model again where the last turn failed. */
  askAgain: () => void;
  stop: () => void;
}

type Props = { item: TranscriptItem; actions: TranscriptActions };

type AnswerItem = Extract<TranscriptItem, { kind: "live" | "assistant" }>;

/** One thing of the conversation. */
export const TranscriptEntry = memo(function TranscriptEntry({ item, actions }: Props) {
  const { rewinding, canRewind, sessionId } = actions;
  switch (item.kind) {
    case "day":
      return (
        <div className="day-line">
          <span>{dayWords(item.time, new Date())}</span>
        </div>
      );
    case "origin":
      return <Origin id={item.id} at={item.at} title={item.title} />;
    case "user": {
      const { message } = item;
      const { text, files, time, wokenBy, client, speaker, prompt, wakeType } = message;
      const sent = <FileCards label="Files" files={files} />;
      if (item.editing)
        return (
          <EditMessage
            text={text}
            files={files}
            onSend={(words) => actions.vary(message, words)}
            onClose={() => {
              actions.edit(null);
              focusAction(message.sequence);
            }}
          />
        );
      const menu = item.note === null && (
        <>
          <MessageActions
            variants={item.variants}
            sequence={message.sequence}
            text={text || null}
            words="Copy the message"
            action={
              wokenBy === null && prompt === null && message.source === null
                ? { icon: "pencil", words: "Edit", working: false, run: () => actions.edit(message.sequence) }
                : null
            }
          />
          <Menu message={message} actions={actions} />
        </>
      );
      if (item.message.source === "reminder" && item.note !== "refused")
        return <ReminderLine text={text} time={time} queued={item.note === "queued"} menu={menu} />;
      return (
        <UserMessage
          text={text}
          time={time}
          wokenBy={wokenBy}
          client={client}
          speaker={speaker}
          prompt={prompt}
          wakeType={wakeType}
          note={item.note}
          files={sent}
          menu={menu}
        />
      );
    }
    case "live":
    case "assistant":
      return <Answer item={item} actions={actions} />;
    case "said":
      return <AgentMessage text={item.text} time={item.call.finished_at ?? item.call.requested_at} />;
    case "error":
      return (
        <ErrorMessage
          agentId={actions.agentId}
          message={item.message}
          failed={item.failed}
          over={item.over}
          onRetry={actions.askAgain}
          onStop={actions.stop}
        />
      );
    case "summary":
      return (
        <Summary name={item.key} text={item.message.text} count={item.count}>
          <Inner items={item.items} actions={actions} />
        </Summary>
      );
    case "rewound": {
      const undo = () => rewinding.rewind(beforeRewind(sessionId, item.by), item.by);
      return (
        <Rewound name={item.key} count={item.count} onUndo={canRewind ? undo : null}>
          <Inner items={item.items} actions={inThePast(actions)} />
        </Rewound>
      );
    }
    case "tool":
      return (
        <>
          <ToolCard call={item.call} sessionId={item.sessionId} child={item.child} />
          {appOf(item.call) !== null && actions.drawApp(shownBy(item.call, actions))}
        </>
      );
    case "files":
      return <FileCards label="Files made" files={item.files} />;
    case "question":
      return (
        <QuestionCard
          call={item.call}
          answering={actions.answering[item.call.call_id]}
          onAnswer={actions.answer}
        />
      );
    case "approval":
      return (
        <ApprovalInChat
          call={item.call}
          answering={actions.answering[questionKey(item.call)]}
          onAnswer={actions.answer}
        />
      );
    case "shown": {
      const { call } = item;
      if (isComponent(call)) {
        return <RenderCard call={call} onShow={() => actions.openCanvas(call.call_id)} />;
      }
      return actions.drawBlocks(shownBy(call, actions));
    }
    case "handOver":
      return <HandOverCard call={item.call} sessionId={item.sessionId} />;
    case "thought":
      return <Thought name={item.key} text={item.text} growing={item.growing} whole={item.whole} />;
    case "thinking":
      return <Thinking since={item.since} />;
    case "stopped":
      return <p className="stopped">Stopped before there was an answer.</p>;
    case "adapted":
      return <AdaptedNote what={item.what} />;
    case "stoodIn":
      return <StoodInNote model={item.model} tried={item.tried} />;
    case "incomplete":
      return <IncompleteNote why={item.why} words={item.words} />;
    case "outgoing":
      return <OutgoingMessage entry={item.entry} onRetry={actions.retry} onDiscard={actions.discard} />;
  }
});

/** What was undone is only looked at. */
function inThePast(actions: TranscriptActions): TranscriptActions {
  return { ...actions, drawApp: (shown) => actions.drawApp({ ...shown, past: true }) };
}

function shownBy(call: ToolCall, actions: TranscriptActions): Shown {
  return {
    call,
    sessionId: actions.sessionId,
    agentId: actions.agentId,
    answering: actions.answering[questionKey(call)],
    onAnswer: (answer) => actions.answer(call.call_id, answer),
  };
}

function Inner({ items, actions }: { items: readonly TranscriptItem[]; actions: TranscriptActions }) {
  return items.map((item) => <TranscriptEntry key={item.key} item={item} actions={actions} />);
}

/** An answer: while it is written, and in the same place once it is whole and may be asked for once more. */
function Answer({ item, actions }: { item: AnswerItem; actions: TranscriptActions }) {
  const again = useAction();
  const saving = useAction();
  if (item.kind === "live") {
    const { live, since } = item;
    return (
      <AgentMessage text={live.text} time={null} growing menu={<Writing live={live} since={since} />}>
        <StillToCome live={live} />
      </AgentMessage>
    );
  }
  const { message, end } = item;
  const rates = {
    rating: message.rating,
    saving,
    onRate: (rating: Rating | null) => actions.rate(message, rating),
  };
  // What a fork begins with is rated in the session that gave it.
  const own = message.sessionId === actions.sessionId && message.modelCallId !== null;
  const menu = (
    <>
      {own && <Thumbs {...rates} />}
      <MessageActions
        variants={item.variants}
        sequence={message.sequence}
        text={message.text}
        words="Copy the answer"
        action={
          message.modelCallId === null
            ? null
            : {
                icon: "retry",
                words: "Answer again",
                working: again.working,
                run: () => again.run(() => actions.vary(message, null)),
              }
        }
      />
      <Menu message={message} end={end} actions={actions} />
      {again.failure !== null && (
        <span className="text-problem" role="alert">
          It was not asked again: {messageOf(again.failure)}
        </span>
      )}
    </>
  );
  const { text, time, model, usage } = message;
  return (
    <AgentMessage text={text} time={time} model={model} usage={usage} menu={menu}>
      {own && <WhyRated {...rates} />}
    </AgentMessage>
  );
}

interface MenuProps {
  message: ChatMessage;
  /** The last event of what came of the message. */
  end?: number;
  actions: TranscriptActions;
}

function Menu({ message, end = message.sequence, actions }: MenuProps) {
  const own = message.sessionId === actions.sessionId && message.hiddenBy === null;
  return (
    <MessageMenu
      message={message}
      end={{ sessionId: message.sessionId, at: end }}
      canRewind={own && actions.canRewind}
      rewinding={actions.rewinding}
    />
  );
}
