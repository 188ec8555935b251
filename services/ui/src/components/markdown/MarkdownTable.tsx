import { type ReactNode, useRef } from "react";
import { csv } from "../../lib/csv";
import { CopyButton } from "../CopyButton";

/** A table that scrolls sideways rather than break words, and can be copied into a spreadsheet. */
export function MarkdownTable({ children }: { children: ReactNode }) {
  const table = useRef<HTMLTableElement>(null);
  const cells = () =>
    [...(table.current?.rows ?? [])].map((row) => [...row.cells].map((cell) => cell.textContent ?? ""));
  return (
    <div className="markdown-table">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div className="table-responsive" tabIndex={0} role="group" aria-label="Table">
        <table className="table table-sm" ref={table}>
          {children}
        </table>
      </div>
      <CopyButton className="table-copy" words="Copy as CSV" label="CSV" text={() => csv(cells())} />
    </div>
  );
}
