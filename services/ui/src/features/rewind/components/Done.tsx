import type { Rewound } from "../../../lib/wire";
import { changeKey, nameOf } from "../fold/plan";

interface Props {
  done: Rewound;
  /** True where the conversation went back too: the chat shows that, and how to undo it. */
  conversation: boolean;
  onUndo: () => void;
}

/** What a rewind did, where the chat itself doesn't show it. */
export function Done({ done, conversation, onUndo }: Props) {
  const { restored, left_out: leftOut } = done;
  return (
    <div role="status">
      <p>{conversation ? "Done. The chat went back." : "Done. The conversation stays as it is."}</p>
      <Things words="These are as they were before" things={restored} />
      <Things words="These stay as they are, since others changed them too" things={leftOut} />
      {!conversation && restored.length > 0 && (
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onUndo}>
          Undo…
        </button>
      )}
    </div>
  );
}

function Things({ words, things }: { words: string; things: readonly { kind: string; name: string }[] }) {
  if (!things.length) return null;
  return (
    <>
      <h3 className="fs-6">{words}</h3>
      <ul>
        {things.map((thing) => (
          <li key={changeKey(thing)}>{nameOf(thing)}</li>
        ))}
      </ul>
    </>
  );
}
