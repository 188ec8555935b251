import { Icon } from "../../../../components/Icon";
import type { FailedTurn } from "../../../../lib/wire";
import { clockTime, fullTime, secondsTime } from "../../../../lib/words";
import { modelAdvice } from "../../fold/advice";
import type { ChatMessage } from "../../fold/view";
import { RaiseCap } from "../asking/RaiseCap";
import { WithCode } from "../composing/WithCode";

interface Props {
  agentId: string;
  message: ChatMessage;
  /** The turn that can go on from here; null if something came after it, or nothing can. */
  failed: FailedTurn | null;
  /** True for a turn that failed and is history. */
  over: boolean;
  onRetry: () => void;
  onStop: () => void;
}

/** Why a turn failed, or the chat ended, in the words of whoever failed; and how the turn goes on. */
export function ErrorMessage({ agentId, message, failed, over, onRetry, onStop }: Props) {
  return (
    <article className={`message message-error ${over ? "is-over" : ""}`} aria-label="Error">
      <Icon name="warning" />
      <div className="message-error-text">
        {message.text}
        {failed && <GoingOn agentId={agentId} failed={failed} onRetry={onRetry} onStop={onStop} />}
      </div>
      <time dateTime={message.time} title={fullTime(message.time)}>
        {clockTime(message.time)}
      </time>
    </article>
  );
}

function GoingOn({
  agentId,
  failed,
  onRetry,
  onStop,
}: {
  agentId: string;
  failed: FailedTurn;
  onRetry: () => void;
  onStop: () => void;
}) {
  const { retry_at: at, kind, setting } = failed;
  const advice = modelAdvice(kind);
  return (
    <div className="going-on">
      {at ? (
        <p>
          Nothing is lost. The model is asked again at{" "}
          <time dateTime={at} title={fullTime(at)}>
            {secondsTime(at)}
          </time>{" "}
          at the latest, or with your next message.
        </p>
      ) : (
        <p>Nothing is lost. {advice && <WithCode text={advice} />} Then retry, or write another message.</p>
      )}
      {setting && <RaiseCap agentId={agentId} setting={setting} onRaised={onRetry} />}
      <div className="going-on-actions">
        <button
          type="button"
          className={`btn btn-sm ${setting ? "btn-outline-secondary" : "btn-primary"}`}
          onClick={onRetry}
        >
          <Icon name="retry" size={14} /> Retry here
        </button>
        {at && (
          <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onStop}>
            Don't ask again by itself
          </button>
        )}
      </div>
    </div>
  );
}
