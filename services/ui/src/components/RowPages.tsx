import { useState } from "react";
import { count } from "../lib/words";
import "./rows.css";

interface Props {
  /** The first row of this page, from 0. */
  first: number;
  /** Rows in all. */
  all: number;
  page: number;
  onFirst: (first: number) => void;
}

/** Which rows are seen; leads from page to page, and to any row. */
export function RowPages({ first, all, page, onFirst }: Props) {
  const [wanted, setWanted] = useState("");
  const last = Math.max(0, Math.floor((all - 1) / page) * page);
  return (
    <div className="row-pages">
      <span role="status">{counted(first, all, page)}</span>
      {all > page && (
        <>
          <span className="btn-group btn-group-sm">
            <Step words="First rows" sign="«" off={first === 0} onPress={() => onFirst(0)} />
            <Step
              words="Previous rows"
              sign="‹"
              off={first === 0}
              onPress={() => onFirst(Math.max(0, first - page))}
            />
            <Step
              words="Next rows"
              sign="›"
              off={first + page >= all}
              onPress={() => onFirst(first + page)}
            />
            <Step words="Last rows" sign="»" off={first >= last} onPress={() => onFirst(last)} />
          </span>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const row = Number(wanted);
              if (Number.isInteger(row) && row >= 1)
                onFirst(Math.min(Math.floor((row - 1) / page) * page, last));
            }}
          >
            <input
              className="form-control form-control-sm"
              type="number"
              min={1}
              max={all}
              aria-label="Go to row"
              placeholder="Go to row"
              value={wanted}
              onChange={(event) => setWanted(event.target.value)}
            />
          </form>
        </>
      )}
    </div>
  );
}

function Step(props: { words: string; sign: string; off: boolean; onPress: () => void }) {
  return (
    <button
      type="button"
      className="btn btn-outline-secondary"
      aria-label={props.words}
      disabled={props.off}
      onClick={props.onPress}
    >
      {props.sign}
    </button>
  );
}

function counted(first: number, all: number, page: number): string {
  if (all === 0) return "No rows";
  if (all <= page) return all === 1 ? "1 row" : `${count(all)} rows`;
  return `Rows ${count(first + 1)}–${count(Math.max(Math.min(first + page, all), first + 1))} of ${count(all)}`;
}
