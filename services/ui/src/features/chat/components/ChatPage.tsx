import { type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import { ConnectionState } from "../../../components/ConnectionState";
import { PageLayout } from "../../../components/PageLayout";
import { SideBySide } from "../../../components/SideBySide";
import { StatusDot } from "../../../components/StatusDot";
import { PicturesOf } from "../../../lib/pictures";
import type { Rewinding } from "../../../lib/rewinding";
import type { Draw } from "../../../lib/shown";
import type { OpenChat } from "../api/openChat";
import { rateAnswer } from "../api/requests";
import type { ChatState } from "../api/state";
import { closedAdvice } from "../fold/advice";
import { idsOf } from "../fold/attached";
import { loneQuestion } from "../fold/question";
import { transcript } from "../fold/transcript";
import { beside } from "../fold/variants";
import { type ChatView, isClosed } from "../fold/view";
import { ChatMenu } from "./around/ChatMenu";
import { ClosedNotice } from "./around/ClosedNotice";
import { FindBar } from "./around/FindBar";
import { Title } from "./around/Title";
import { TokenMeter } from "./around/TokenMeter";
import { useEscape } from "./around/useEscape";
import { useFinding } from "./around/useFinding";
import { useLooking } from "./around/useLooking";
import { Family } from "./asking/Family";
import { COMPOSER_ID, Composer } from "./composing/Composer";
import { LoadFailure, Loading } from "./messages/Loading";
import { Transcript } from "./messages/Transcript";
import type { TranscriptActions } from "./messages/TranscriptEntry";
import { useAnnouncement } from "./messages/useAnnouncement";
import { useCanvas } from "./useCanvas";
import { useOpenChat } from "./useOpenChat";
import "../chat.css";
import "../messages.css";
import "../../../components/questions.css";
import { useStop } from "./around/useStop";

interface Props {
  sessionId: string;
  /** An event that the first read must include: that of a session just created. */
  minSequence?: number | undefined;
  /** Move the focus to the composer when the chat opens. */
  autoFocus: boolean;
  onSayAgain: (text: string) => void;
  rewinding: Rewinding;
  drawBlocks: Draw;
  drawComponent: Draw;
  drawApp: Draw;
  /** What stands in the canvas by its own address: a page of the agent. */
  beside?: ReactNode | undefined;
}

/** One chat: its header, the conversation, the box to write in, and the canvas beside them. */
export function ChatPage(props: Props) {
  const { sessionId, minSequence, autoFocus, onSayAgain, rewinding, drawBlocks, drawComponent, drawApp } =
    props;
  const besidePage = props.beside;
  const { chat, state } = useOpenChat(sessionId, minSequence);
  useLooking(sessionId);
  const { view, failure } = state;
  const announced = useAnnouncement(view);
  const { canvas, openCanvas } = useCanvas(chat, state, drawComponent, besidePage !== undefined);
  return (
    <PageLayout
      label="Chat"
      className="chat"
      heading={chat && view ? <Heading chat={chat} view={view} /> : "Chat"}
      tools={
        chat &&
        view && (
          <>
            <TokenMeter session={view.session} />
            <ConnectionState connection={state.connection} />
            <ChatMenu
              session={view.session}
              isOpen={!isClosed(view.session)}
              onArchive={() => void chat.archive()}
              onThink={(thinking) => void chat.think(thinking)}
            />
          </>
        )
      }
    >
      <SideBySide side={besidePage ?? canvas}>
        <PicturesOf value={sessionId}>
          {view && <Family session={view.session} />}
          <div className="visually-hidden" role="status" aria-live="polite">
            {announced}
          </div>
          {chat && view && (
            <Conversation
              chat={chat}
              state={state}
              view={view}
              autoFocus={autoFocus}
              onSayAgain={onSayAgain}
              rewinding={rewinding}
              drawBlocks={drawBlocks}
              drawApp={drawApp}
              openCanvas={openCanvas}
            />
          )}
          {failure && chat && <LoadFailure failure={failure} onRetry={chat.reload} />}
          {!view && !failure && <Loading />}
        </PicturesOf>
      </SideBySide>
    </PageLayout>
  );
}

function Heading({ chat, view }: { chat: OpenChat; view: ChatView }) {
  const { session } = view;
  return (
    <>
      <StatusDot status={session.status} failed={Boolean(session.failed_turn)} />
      <Title title={session.title ?? "New chat"} onRename={(title) => void chat.rename(title)} />
    </>
  );
}

interface ConversationProps {
  chat: OpenChat;
  state: ChatState;
  view: ChatView;
  autoFocus: boolean;
  onSayAgain: (text: string) => void;
  rewinding: Rewinding;
  drawBlocks: Draw;
  drawApp: Draw;
  openCanvas: (callId: string) => void;
}

function Conversation(props: ConversationProps) {
  const { chat, state, view, autoFocus, onSayAgain, rewinding, drawBlocks, drawApp, openCanvas } = props;
  const { outbox, answering, earlier, notice, stopping } = state;
  const { status, id, agent_id: agentId } = view.session;
  const [editing, setEditing] = useState<number | null>(null);
  const items = useMemo(() => transcript(view, outbox, editing), [view, outbox, editing]);
  const { reveal, finding, find, closeFind } = useFinding(chat, view);
  const latest = useRef(view);
  latest.current = view;
  const actions = useMemo<TranscriptActions>(
    () => ({
      sessionId: id,
      agentId,
      drawBlocks,
      drawApp,
      openCanvas,
      canRewind: status !== "completed" && status !== "error",
      rewinding,
      answering,
      answer: (callId, answer) => {
        void chat.answer(callId, answer);
        // The button that was pressed is closed now: without this the keyboard would be nowhere.
        if (autoFocus) document.getElementById(COMPOSER_ID)?.focus({ preventScroll: true });
      },
      edit: setEditing,
      vary: (message, text) =>
        rewinding.vary(
          beside(latest.current, message),
          text === null ? null : { text, files: message.files },
        ),
      rate: rateAnswer,
      retry: chat.retry,
      discard: chat.discard,
      askAgain: () => void chat.askAgain(),
      stop: () => void chat.stop(),
    }),
    [id, agentId, status, rewinding, answering, chat, autoFocus, drawBlocks, drawApp, openCanvas],
  );
  const loadEarlier = useCallback(() => void chat.loadEarlier(), [chat]);
  const { onStop, asking } = useStop(
    view.session.parent_id !== null,
    useCallback(() => void chat.stop(), [chat]),
  );
  const working = status === "running" || status === "waiting_for_input";
  useEscape(status === "running" && !stopping && !asking, onStop);

  const closed = closedAdvice(view.session);
  const lastSaid = view.messages.findLast(
    ({ role, hiddenBy, wokenBy, prompt }) =>
      role === "user" && hiddenBy === null && wokenBy === null && prompt === null,
  );
  return (
    <>
      {finding && <FindBar onFind={find} onClose={closeFind} />}
      <Transcript
        items={items}
        sentAt={Math.max(0, ...outbox.map(({ at }) => at))}
        actions={actions}
        hasEarlier={view.before !== null}
        earlier={earlier}
        reveal={reveal}
        onLoadEarlier={loadEarlier}
      />
      {asking}
      <div className="chat-foot">
        {notice && (
          <div className="alert alert-warning alert-dismissible chat-notice" role="alert">
            {notice}
            <button type="button" className="btn-close" aria-label="Dismiss" onClick={chat.dismissNotice} />
          </div>
        )}
        {closed ? (
          <ClosedNotice
            notice={closed}
            lastText={lastSaid?.text ?? null}
            onSayAgain={onSayAgain}
            onContinue={(tokenLimit) => void chat.continueWith(tokenLimit)}
            onReopen={() => void chat.reopen()}
          />
        ) : (
          <Composer
            draftKey={id}
            sessionId={id}
            placeholder={placeholder(view)}
            working={working}
            stopping={stopping}
            autoFocus={autoFocus}
            agentId={agentId}
            onSend={(text, files, prompt) => chat.send({ text, files: idsOf(files), prompt })}
            onStop={onStop}
          />
        )}
      </div>
    </>
  );
}

function placeholder(view: ChatView): string {
  if (view.session.status === "running") return "Write more";
  if (view.session.status !== "waiting_for_input") return "Message";
  return loneQuestion(view) ? "Answer" : "Message";
}
