import { useCallback, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { usePages } from "../../../../lib/hooks/usePages";
import { useRead } from "../../../../lib/hooks/useRead";
import { useTicks } from "../../../../lib/hooks/useTicks";
import { go, studioHref } from "../../../../lib/route";
import type { DeadLetter } from "../../../../lib/wire";
import { clockTime, count, dayWords, fullTime } from "../../../../lib/words";
import { readLetters } from "../../api/levers";
import { letterWords } from "../../fold/leverWords";
import { PageTurns } from "../PageTurns";
import { Pair } from "../Pair";
import { LetterView } from "./LetterView";
import "../../levers.css";

/** How often the list is read anew (ms). */
const FRESH_MS = 10_000;

interface Props {
  agentId: string;
  /** Which letter is chosen, as the address has it. */
  number: string | null;
  titleOf: (sessionId: string) => string | null;
}

/** Messages that could not be handled: of the whole installation, a page at a time. */
export function Letters({ agentId, number, titleOf }: Props) {
  const pages = usePages<number>();
  const [done, setDone] = useState<string | null>(null);
  const before = pages.cursor;
  const read = useCallback((signal: AbortSignal) => readLetters(before, signal), [before]);
  const ticks = useTicks(FRESH_MS);
  const list = useRead(read, ticks);
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
            {({ letters, total, before: older }) => (
              <>
                <ul className="studio-items">
                  {letters.map((one) => (
                    <LetterRow
                      key={one.number}
                      letter={one}
                      href={studioHref(agentId, "letters", String(one.number))}
                      current={one.number === chosen}
                    />
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

function LetterRow({ letter, href, current }: { letter: DeadLetter; href: string; current: boolean }) {
  const { number, at, reason } = letter;
  return (
    <li>
      <a className="studio-item" href={href} aria-current={current ? "true" : undefined}>
        <span className="studio-item-head">
          <span className="studio-item-name">{letterWords(letter)}</span>
          <span className="studio-item-version">{number}</span>
        </span>
        <span className="studio-item-about" dir="auto">
          {reason}
        </span>
        {at && (
          <span className="studio-item-when" title={fullTime(at)}>
            {dayWords(at, new Date())} {clockTime(at)}
          </span>
        )}
      </a>
    </li>
  );
}
