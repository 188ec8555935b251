import { useState } from "react";
import { LongText } from "../../../../components/LongText";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { usePages } from "../../../../lib/hooks/usePages";
import { useReadOf } from "../../../../lib/hooks/useRead";
import { useTicks } from "../../../../lib/hooks/useTicks";
import { pretty } from "../../../../lib/jsonText";
import { chatHref, go, studioHref } from "../../../../lib/route";
import type { DeadMessage } from "../../../../lib/wire";
import { count, fullTime } from "../../../../lib/words";
import { discardLetter, readLetter, readLetters, retryLetter } from "../../api/operating";
import { letterWords } from "../../fold/operating";
import { Failure, PageTurns, Pair, Press, type TitleOf } from "../controls";
import { ItemLink } from "../rows";

/** How often the list is read anew (ms). */
const FRESH_MS = 10_000;

interface Props {
  agentId: string;
  /** Which letter is chosen, as the address has it. */
  number: string | null;
  titleOf: TitleOf;
}

/** Messages that could not be handled: of the whole installation, a page at a time. */
export function Letters({ agentId, number, titleOf }: Props) {
  const pages = usePages();
  const [done, setDone] = useState<string | null>(null);
  const before = pages.cursor;
  const ticks = useTicks(FRESH_MS);
  const list = useReadOf(readLetters, [before], ticks);
  const chosen = number !== null && /^[1-9]\d{0,14}$/.test(number) ? Number(number) : null;
  return (
    <Pair
      label="Dead letters"
      chosen={chosen !== null}
      list={
        <>
          <p className="side-note">
            Messages that failed five times, or for good. They concern all agents. Nothing is lost: each
            message is kept where it was.
          </p>
          {done && (
            <p className="side-note studio-done" role="status">
              {done}
            </p>
          )}
          <Reading read={list}>
            {({ items: letters, total, next_cursor: older }) => (
              <>
                <ul className="studio-items">
                  {letters.map((one) => (
                    <li key={one.number}>
                      <ItemLink
                        href={studioHref(agentId, "letters", String(one.number))}
                        current={one.number === chosen}
                        name={<span className="studio-item-name">{letterWords(one)}</span>}
                        version={one.number}
                        about={one.reason}
                        time={one.created_at}
                      />
                    </li>
                  ))}
                </ul>
                <p className="side-note" role="status">
                  {total === 0
                    ? "No dead letters. All that came could be handled."
                    : `${count(total)} ${total === 1 ? "letter" : "letters"} in all.`}
                </p>
                <PageTurns pages={pages} older={older} />
              </>
            )}
          </Reading>
        </>
      }
    >
      {chosen === null ? (
        <p className="studio-choose text-body-secondary">
          Choose a letter to see its message, and what can be done about it.
        </p>
      ) : (
        <LetterView
          key={chosen}
          agentId={agentId}
          number={chosen}
          titleOf={titleOf}
          onDone={(what) => {
            setDone(`Letter ${chosen}: ${what}.`);
            list.again();
            go(studioHref(agentId, "letters"));
          }}
        />
      )}
    </Pair>
  );
}

interface ViewProps {
  agentId: string;
  number: number;
  titleOf: TitleOf;
  /** It is gone, and why. */
  onDone: (what: string) => void;
}

/** One dead letter with its message. */
function LetterView({ agentId, number, titleOf, onDone }: ViewProps) {
  const found = useReadOf(readLetter, [number]);
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

function Letter({
  message,
  titleOf,
  onDone,
}: { message: DeadMessage } & Omit<ViewProps, "agentId" | "number">) {
  const action = useAction();
  const { letter, type, body, problem, ended } = message;
  const { number, created_at: at, reason, attempts, stream, address, subject, session_id, call_id } = letter;
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
            <Press
              look="btn-primary"
              icon="retry"
              disabled={action.working}
              onPress={() => action.run(() => retryLetter(number), onDone)}
            >
              {action.working ? "Trying…" : "Retry"}
            </Press>
            <Press
              look="btn-outline-danger"
              icon="trash"
              disabled={action.working}
              onPress={() => action.run(() => discardLetter(number), onDone)}
            >
              Discard
            </Press>
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
