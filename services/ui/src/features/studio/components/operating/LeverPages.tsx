import { useAction } from "../../../../lib/hooks/useAction";
import type { Pages } from "../../../../lib/hooks/usePages";
import { save } from "../../../../lib/saving";
import { count } from "../../../../lib/words";
import { MOST_SAVED } from "../../api/levers";
import { Failure } from "../Failure";
import { PageTurns } from "../PageTurns";

interface Props {
  pages: Pages<string>;
  older: string | null;
  empty: boolean;
  /** All that fits, a JSON document a line. */
  lines: () => Promise<string>;
  /** What it is saved as. */
  name: string;
}

/** Turns the pages of a list, and saves it. */
export function LeverPages({ pages, older, empty, lines, name }: Props) {
  const saving = useAction();
  return (
    <>
      <PageTurns pages={pages} older={older}>
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          disabled={saving.working || empty}
          title={`One JSON document a line, the newest ${count(MOST_SAVED)}`}
          onClick={() => saving.run(lines, (text) => save(name, text, "application/jsonl"))}
        >
          Save as JSONL
        </button>
      </PageTurns>
      <Failure failure={saving.failure} />
    </>
  );
}
