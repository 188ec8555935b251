import { Icon } from "../../../../components/Icon";
import { PromptName } from "../../../../components/PromptName";
import type { Outgoing } from "../../fold/outbox";

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
      {entry.text && <div className="bubble">{entry.text}</div>}
      {entry.prompt && (
        <p className="message-foot">
          <PromptName prompt={entry.prompt} />
        </p>
      )}
      {entry.files.length > 0 && (
        <p className="message-foot">{entry.files.length === 1 ? "1 file" : `${entry.files.length} files`}</p>
      )}
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
