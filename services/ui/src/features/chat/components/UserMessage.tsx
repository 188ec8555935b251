import { Icon } from "../../../components/Icon";
import { clockTime, fullTime } from "../../../lib/words";
import type { Outgoing } from "../fold/outbox";
import type { ChatMessage } from "../fold/view";

const NOTES = {
  queued: "Queued: the agent reads it at its next step",
  refused: "Not delivered: this chat had ended",
};

/** What the user said. */
export function UserMessage({ message, note }: { message: ChatMessage; note: "queued" | "refused" | null }) {
  return (
    <article className={`message message-user ${note ? "is-waiting" : ""}`} aria-label="You">
      <div className="bubble">{message.text}</div>
      <footer className="message-foot">
        {note && (
          <span className={note === "refused" ? "text-problem" : ""}>
            <Icon name={note === "queued" ? "clock" : "ban"} size={13} /> {NOTES[note]}
          </span>
        )}
        <time dateTime={message.time} title={fullTime(message.time)}>
          {clockTime(message.time)}
        </time>
      </footer>
    </article>
  );
}

interface OutgoingProps {
  entry: Outgoing;
  onRetry: (key: string) => void;
  onDiscard: (key: string) => void;
}

/** What the user said and the log does not have yet. */
export function OutgoingMessage({ entry, onRetry, onDiscard }: OutgoingProps) {
  const failed = entry.state === "failed";
  return (
    <article className="message message-user is-waiting" aria-label="You">
      <div className="bubble">{entry.text}</div>
      <div className="message-foot" role={failed ? "alert" : undefined}>
        {failed ? (
          <>
            <span className="text-problem">
              <Icon name="warning" size={13} /> Not sent. {entry.problem}
            </span>
            <button type="button" className="btn btn-sm btn-link" onClick={() => onRetry(entry.key)}>
              Try again
            </button>
            <button type="button" className="btn btn-sm btn-link" onClick={() => onDiscard(entry.key)}>
              Discard
            </button>
          </>
        ) : (
          <span>Sending…</span>
        )}
      </div>
    </article>
  );
}
