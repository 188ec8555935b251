import { Icon } from "../../../../components/Icon";
import { NEW_CHAT } from "../../../../lib/route";
import { compactCount } from "../../../../lib/words";
import type { ClosedAdvice } from "../../fold/advice";
import { WithCode } from "../composing/WithCode";

interface Props {
  notice: ClosedAdvice;
  /** The last thing the user said, to be said again in a new chat. */
  lastText: string | null;
  onSayAgain: (text: string) => void;
  onContinue: (tokenLimit: number) => void;
  onReopen: () => void;
}

/** Stands in the composer's place where a chat takes no messages: why, and what to do. */
export function ClosedNotice({ notice, lastText, onSayAgain, onContinue, onReopen }: Props) {
  const { continueWith, reopens } = notice;
  const isOver = continueWith === null && !reopens;
  return (
    <section className={`closed closed-${notice.tone}`} aria-label="This chat is closed">
      <div className="closed-text">
        <strong>{notice.title}</strong> <WithCode text={notice.advice} />
      </div>
      <div className="closed-actions">
        {continueWith !== null && (
          <button type="button" className="btn btn-sm btn-primary" onClick={() => onContinue(continueWith)}>
            Continue up to {compactCount(continueWith)} tokens
          </button>
        )}
        {reopens && (
          <button type="button" className="btn btn-sm btn-primary" onClick={onReopen}>
            Reopen
          </button>
        )}
        {lastText && notice.tone === "danger" && (
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            onClick={() => onSayAgain(lastText)}
          >
            <Icon name="retry" size={14} /> Try the last message in a new chat
          </button>
        )}
        <a className={`btn btn-sm ${isOver ? "btn-primary" : "btn-outline-secondary"}`} href={NEW_CHAT}>
          <Icon name="plus" size={14} /> New chat
        </a>
      </div>
    </section>
  );
}
