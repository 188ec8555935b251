import { thingWords } from "../../../lib/kinds";
import { rewoundWords, thingKey, whyWords } from "../fold/agentRewind";

interface Props {
  words: string;
  done: { rewound: Record<string, number>; stays: { kind: string; name: string; why: string }[] };
  /** Null where the chat itself shows how to undo it. */
  onUndo: (() => void) | null;
}

/** What a rewind did, and how to take it back. */
export function RewindDone({ words, done, onUndo }: Props) {
  const back = rewoundWords(done);
  return (
    <div role="status">
      <p>{words}</p>
      {back.length > 0 && (
        <>
          <h3 className="fs-6">These are as they were before</h3>
          <ul>
            {back.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </>
      )}
      {done.stays.length > 0 && (
        <>
          <h3 className="fs-6">These stay as they are</h3>
          <ul>
            {done.stays.map(({ kind, name, why }) => (
              <li key={thingKey(kind, name)}>
                {thingWords(kind, name)}: {whyWords(why)}
              </li>
            ))}
          </ul>
        </>
      )}
      {onUndo && back.length > 0 && (
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onUndo}>
          Undo…
        </button>
      )}
    </div>
  );
}
