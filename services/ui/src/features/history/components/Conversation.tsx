import { type ReactNode, useEffect, useRef } from "react";
import { AgentMessage } from "../../../components/AgentMessage";
import { FileCards } from "../../../components/FileCards";
import { Icon } from "../../../components/Icon";
import { OutsideLine } from "../../../components/OutsideLine";
import { RenderCard } from "../../../components/RenderCard";
import { StatusDot, statusWords } from "../../../components/StatusDot";
import { ToolCard } from "../../../components/ToolCard";
import { UserMessage } from "../../../components/UserMessage";
import { recordOf } from "../../../lib/address";
import { useKeptOpen } from "../../../lib/hooks/useKeptOpen";
import { sourcesOf } from "../../../lib/outside";
import { historyHref } from "../../../lib/route";
import { type Answered, type Draw, isBlocks, isComponent, type Shown, saidIn } from "../../../lib/shown";
import type { SessionView, TimelineRow } from "../../../lib/wire";
import { count } from "../../../lib/words";
import { conversation, isOfRow, type PastMessage } from "../fold/past";

interface Props {
  state: SessionView;
  /** What is marked in it: the chosen row. */
  row: TimelineRow | null;
  drawBlocks: Draw;
  drawComponent: Draw;
}

/** What was shown then can't be answered from here. */
const PAST: Answered = { state: "accepted", problem: null, path: null };
const noAnswer = () => {};

/** The conversation as it was. What was chosen is marked and in sight; each message leads to its event. */
export function Conversation({ state, row, ...draw }: Props) {
  const messages = conversation(state);
  const content = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another moment has another end
  useEffect(() => {
    const found = content.current?.querySelector(".is-marked") ?? null;
    if (!found) content.current?.scrollIntoView({ block: "end" });
  }, [state.last_sequence, state.session_id]);
  return (
    <div className="transcript-content" ref={content}>
      <p className="moment-facts">
        <StatusDot status={state.status} /> {statusWords(state.status)} · {state.title ?? "no title yet"} ·{" "}
        {count(state.usage.tokens)} tokens used
      </p>
      <OutsideLine
        sources={sourcesOf(state.outside, null, null)}
        words="The context holds material from"
        className="moment-outside"
      />
      {state.earlier > 0 && (
        <p className="side-note">
          {count(state.earlier)} earlier {state.earlier === 1 ? "message" : "messages"}: go further back to
          see them.
        </p>
      )}
      {messages.length === 0 && <p className="text-body-secondary">Nothing had been said yet.</p>}
      {messages.map((message) => (
        <Message
          key={`${message.sequence}-${message.role}`}
          message={message}
          state={state}
          row={row}
          {...draw}
        />
      ))}
    </div>
  );
}

interface MessageProps {
  message: PastMessage;
  state: SessionView;
  row: TimelineRow | null;
  drawBlocks: Draw;
  drawComponent: Draw;
}

function Message({ message, state, row, ...draw }: MessageProps) {
  const { session_id: sessionId, agent_id: agentId } = state;
  const { role, text, files, calls, wokenBy, client, queued, sequence } = message;
  const marked = row !== null && isOfRow(message, row);
  if (role === "user") {
    const sent = <FileCards label="Files" files={files} />;
    const note = queued ? "queued" : null;
    return (
      <Marked at={sequence} sessionId={sessionId} marked={marked}>
        <UserMessage text={text} time={null} wokenBy={wokenBy} client={client} note={note} files={sent} />
      </Marked>
    );
  }
  return (
    <>
      {text.trim() && (
        <Marked at={sequence} sessionId={sessionId} marked={marked}>
          <AgentMessage text={text} time={null} />
        </Marked>
      )}
      {calls.map((call) => (
        <Marked
          key={call.call_id}
          at={call.request_address === null ? null : recordOf(Number(call.request_address))}
          sessionId={sessionId}
          marked={row?.call_id === call.call_id || (marked && !text.trim())}
        >
          <Call
            key={`${row?.call_id === call.call_id}`}
            shown={{ call, sessionId, agentId, answering: PAST, onAnswer: noAnswer, past: true }}
            chosen={row?.call_id === call.call_id}
            {...draw}
          />
        </Marked>
      ))}
    </>
  );
}

interface CallProps {
  shown: Shown;
  /** It is what was chosen: its arguments and its result are seen at once. */
  chosen: boolean;
  drawBlocks: Draw;
  drawComponent: Draw;
}

function Call({ shown, chosen, drawBlocks, drawComponent }: CallProps) {
  if (isBlocks(shown.call)) return drawBlocks(shown);
  const said = saidIn(shown.call);
  if (said !== null) return <AgentMessage text={said} time={null} />;
  if (isComponent(shown.call)) return <RenderedThen shown={shown} draw={drawComponent} />;
  return <ToolCard call={shown.call} sessionId={shown.sessionId} unfolded={chosen} />;
}

interface MarkedProps {
  /** The event that it came with. */
  at: number | null;
  sessionId: string;
  marked: boolean;
  children: ReactNode;
}

/** A part of the chat, marked where it is what was chosen. */
function Marked({ at, sessionId, marked, children }: MarkedProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (marked) place.current?.scrollIntoView({ block: "nearest" });
  }, [marked]);
  return (
    <div ref={place} className={`chat-part ${marked ? "is-marked" : ""}`}>
      {children}
      {at !== null && !marked && (
        <a className="chat-event" href={historyHref(sessionId, at)} title="Look at this event">
          <Icon name="rewind" size={12} /> event {at}
        </a>
      )}
    </div>
  );
}

/** A component that the agent showed: run once it is opened, for a chat may have shown very many. */
function RenderedThen({ shown, draw }: { shown: Shown; draw: Draw }) {
  const { call } = shown;
  const [open, toggle] = useKeptOpen(`render ${call.request_address} ${call.call_id}`);
  return (
    <RenderCard call={call} onShow={toggle} then={{ open }}>
      {open && (
        <div className="render-then">
          <p className="side-note">As it was when the agent showed it. What you do in it changes nothing.</p>
          <div className="render-then-frame">{draw(shown)}</div>
        </div>
      )}
    </RenderCard>
  );
}
