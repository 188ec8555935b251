import { useState } from "react";
import { AgentMessage } from "../../../components/AgentMessage";
import { FileCards } from "../../../components/FileCards";
import { StatusDot, statusWords } from "../../../components/StatusDot";
import { ToolCard } from "../../../components/ToolCard";
import { UserMessage } from "../../../components/UserMessage";
import type { SessionView } from "../../../lib/wire";
import { count } from "../../../lib/words";
import { conversation, type PastMessage } from "../fold/past";

/** As many messages are drawn at first, and more each time. */
const STEP = 50;

/** The conversation as it was, with its end in view. */
export function Conversation({ state }: { state: SessionView }) {
  const [shown, setShown] = useState(STEP);
  const messages = conversation(state);
  const hidden = Math.max(0, messages.length - shown);
  const { input, output } = state.usage;
  return (
    <div className="transcript-content">
      <p className="moment-facts">
        <StatusDot status={state.status} /> {statusWords(state.status)} · {state.title ?? "no title yet"} ·{" "}
        {count(input + output)} tokens used
      </p>
      {hidden > 0 && (
        <p className="text-center">
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            onClick={() => setShown((now) => now + STEP)}
          >
            {count(hidden)} earlier messages
          </button>
        </p>
      )}
      {messages.length === 0 && <p className="text-body-secondary">Nothing had been said yet.</p>}
      {messages.slice(hidden).map((message) => (
        <Message key={`${message.sequence}-${message.role}`} message={message} sessionId={state.session_id} />
      ))}
    </div>
  );
}

function Message({ message, sessionId }: { message: PastMessage; sessionId: string }) {
  const { role, text, files, calls, wokenBy, queued } = message;
  if (role === "user") {
    const sent = <FileCards label="Files" files={files} />;
    const note = queued ? "queued" : null;
    return <UserMessage text={text} time={null} wokenBy={wokenBy} note={note} files={sent} />;
  }
  return (
    <>
      {text.trim() && <AgentMessage text={text} time={null} />}
      {calls.map((call) => (
        <ToolCard key={call.call_id} call={call} sessionId={sessionId} />
      ))}
    </>
  );
}
