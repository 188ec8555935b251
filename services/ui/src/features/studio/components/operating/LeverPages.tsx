import { useAction } from "../../../../lib/hooks/useAction";
import { save } from "../../../../lib/saving";
import { count } from "../../../../lib/words";
import { MOST_SAVED } from "../../api/levers";
import { Failure } from "../Failure";

interface Props {
  /** The cursors of the pages before this one, and its own; null: the newest. */
  pages: readonly (string | null)[];
  older: string | null;
  onTurn: (pages: readonly (string | null)[]) => void;
  empty: boolean;
  /** All that fits, a JSON document a line. */
  lines: () => Promise<string>;
  /** What it is saved as. */
  name: string;
}

/** Turns the pages of a list, and saves it. */
export function LeverPages({ pages, older, onTurn, empty, lines, name }: Props) {
  const saving = useAction();
  return (
    <>
      <div className="lever-pages">
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          disabled={pages.length === 1}
          onClick={() => onTurn(pages.slice(0, -1))}
        >
          Newer
        </button>
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          disabled={older === null}
          onClick={() => onTurn([...pages, older])}
        >
          Older
        </button>
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          disabled={saving.working || empty}
          title={`One JSON document a line, the newest ${count(MOST_SAVED)}`}
          onClick={() => saving.run(lines, (text) => save(name, text, "application/jsonl"))}
        >
          Save as JSONL
        </button>
      </div>
      <Failure failure={saving.failure} />
    </>
  );
}
