import type { ReactNode } from "react";
import type { Pages } from "../../../lib/hooks/usePages";

interface Props<Cursor> {
  pages: Pages<Cursor>;
  /** What the next older page begins after; null where this is the oldest. */
  older: Cursor | null;
  /** More that can be done with the list. */
  children?: ReactNode;
}

/** Turns the pages of a list. Where there is one page, and nothing more to do, it isn't there. */
export function PageTurns<Cursor>({ pages, older, children }: Props<Cursor>) {
  if (pages.newest && older === null && !children) return null;
  return (
    <div className="lever-pages">
      <button
        type="button"
        className="btn btn-sm btn-outline-secondary"
        disabled={pages.newest}
        onClick={pages.newer}
      >
        Newer
      </button>
      <button
        type="button"
        className="btn btn-sm btn-outline-secondary"
        disabled={older === null}
        onClick={() => older !== null && pages.older(older)}
      >
        Older
      </button>
      {children}
    </div>
  );
}
