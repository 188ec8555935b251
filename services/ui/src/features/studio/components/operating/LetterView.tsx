import { useCallback } from "react";
import { Icon } from "../../../../components/Icon";
import { LongText } from "../../../../components/LongText";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { pretty } from "../../../../lib/jsonText";
import { chatHref, studioHref } from "../../../../lib/route";
import type { DeadMessage } from "../../../../lib/wire";
import { fullTime } from "../../../../lib/words";
import { discardLetter, readLetter, retryLetter } from "../../api/levers";
import { letterWords } from "../../fold/leverWords";
import { Failure } from "../Failure";

interface Props {
  agentId: string;
  number: number;
  titleOf: (sessionId: string) => string | null;
  /** It is gone, and why. */
  onDone: (what: string) => void;
}

/** One dead letter with its message. */
export function LetterView({ agentId, number, titleOf, onDone }: Props) {
  const read = useCallback((signal: AbortSignal) => readLetter(number, signal), [number]);
  const found = useRead(read);
  return (
    <article className="studio-thing" aria-label={`Dead letter ${number}`}>
      <a className="studio-back" href={studioHref(agentId, "letters")}>
        All dead letters
      </a>
      <Reading read={found}>
        {(message) => <Letter message={message} titleOf={titleOf} onDone={onDone} />}
      </Reading>
    </article>
  );
}

function Letter({ message, titleOf, onDone }: { message: DeadMessage } & Omit<Props, "agentId" | "number">) {
  const action = useAction();
  const { letter, type, body, problem, ended } = message;
  const { number, at, reason, attempts, stream, address, subject, session_id, call_id } = letter;
  const facts = [
    ["When", at && fullTime(at)],
    ["Attempts", String(attempts)],
    ["Its message", stream && `${stream} ${address}`],
    ["Subject", subject],
    ["Type", type],
    ["Call", call_id],
    ["Its call ended nevertheless", ended],
  ].filter((fact): fact is [string, string] => Boolean(fact[1]));
  return (
    <>
      <header className="studio-head">
        <div className="studio-title">
          <h2>{letterWords(letter)}</h2>
          <span className="badge studio-badge">{number}</span>
          <div className="studio-actions">
            <button
              type="button"
              className="btn btn-sm btn-primary"
              disabled={action.working}
              onClick={() => action.run(() => retryLetter(number), onDone)}
            >
              <Icon name="retry" size={14} /> {action.working ? "Trying…" : "Retry"}
            </button>
            <button
              type="button"
              className="btn btn-sm btn-outline-danger"
              disabled={action.working}
              onClick={() => action.run(() => discardLetter(number), onDone)}
            >
              <Icon name="trash" size={14} /> Discard
            </button>
          </div>
        </div>
        <p className="small text-body-secondary">
          <em>Retry</em> has the message handled once more; calls of tools and models are never run twice.{" "}
          <em>Discard</em> forgets this letter, and keeps the message.
        </p>
        <Failure failure={action.failure} />
      </header>
      <p className="alert alert-warning lever-words" dir="auto">
        {reason}
      </p>
      <dl className="lever-facts">
        {session_id && (
          <>
            <dt>Chat</dt>
            <dd>
              <a href={chatHref(session_id)}>{titleOf(session_id) ?? session_id}</a>
            </dd>
          </>
        )}
        {facts.map(([name, value]) => (
          <div key={name} className="lever-fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {problem && <p className="lever-words">{problem}</p>}
      {body !== null && body !== undefined && (
        <LongText label="Message" text={typeof body === "string" ? body : pretty(body)} />
      )}
    </>
  );
}
