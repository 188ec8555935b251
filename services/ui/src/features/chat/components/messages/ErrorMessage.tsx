import { Icon } from "../../../../components/Icon";
import { studioHref } from "../../../../lib/route";
import type { FailedTurn } from "../../../../lib/wire";
import { clockTime, fullTime, secondsTime } from "../../../../lib/words";
import { modelAdvice } from "../../fold/advice";
import type { ChatMessage } from "../../fold/view";
import { RaiseCap } from "../asking/RaiseCap";
import { WithCode } from "../composing/WithCode";

/** Failures that another model, key or server may mend. */
const OTHER_MODEL: ReadonlySet<string> = new Set([
  "authentication",
  "unreachable",
  "bad_request",
  "unknown_model",
  "context_length",
  "malformed_answer",
]);

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
          Your message is safe. Foldline asks the model again at{" "}
          <time dateTime={at} title={fullTime(at)}>
            {secondsTime(at)}
          </time>{" "}
          at the latest, or with your next message.
        </p>
      ) : (
        <p>
          Your message is safe. {advice && <WithCode text={advice} />} Then retry, or write another message.
        </p>
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
        {OTHER_MODEL.has(kind) && (
          <a className="btn btn-sm btn-outline-secondary" href={studioHref(agentId, "settings")}>
            Model settings
          </a>
        )}
        {at && (
          <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onStop}>
            Stop retrying
          </button>
        )}
      </div>
    </div>
  );
}
