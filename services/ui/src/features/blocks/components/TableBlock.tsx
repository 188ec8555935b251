import { useMemo, useState } from "react";
import { ColumnHead } from "../../../components/ColumnHead";
import { Icon } from "../../../components/Icon";
import { RowPages } from "../../../components/RowPages";
import { cellText } from "../../../lib/csv";
import { type Order, pressed } from "../../../lib/ordering";
import { save } from "../../../lib/saving";
import type { Column, Row } from "../fold/blocks";
import { asCsv, sorted } from "../fold/table";

/** Rows at once: more would make the chat slow. */
const PAGE = 50;

interface Props {
  columns: readonly Column[];
  rows: readonly Row[];
}

/** Rows that can be sorted by any column and taken away as a file. */
export function TableBlock({ columns, rows }: Props) {
  const [order, setOrder] = useState<Order | null>(null);
  const [first, setFirst] = useState(0);
  const inOrder = useMemo(() => sorted(rows, order), [rows, order]);
  const shown = inOrder.slice(first, first + PAGE);
  const numeric = useMemo(
    () => new Set(columns.filter(({ key }) => isNumeric(rows, key)).map(({ key }) => key)),
    [columns, rows],
  );
  return (
    <div className="block-table">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div className="block-table-rows" tabIndex={0} role="group" aria-label="Table">
        <table className="table table-sm table-hover">
          <thead>
            <tr>
              {columns.map(({ key, label }) => (
                <ColumnHead
                  key={key}
                  column={key}
                  order={order}
                  className={side(numeric, key)}
                  onPress={() => {
                    setOrder(pressed(order, key));
                    setFirst(0);
                  }}
                >
                  {label || key}
                </ColumnHead>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own
              <tr key={first + at}>
                {columns.map(({ key }) => (
                  <td key={key} className={side(numeric, key)}>
                    {cellText(row[key])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="block-table-foot">
        <RowPages first={first} all={rows.length} page={PAGE} onFirst={setFirst} />
        <button
          type="button"
          className="btn btn-sm btn-link"
          onClick={() => save("table.csv", asCsv(columns, inOrder), "text/csv")}
        >
          <Icon name="download" size={14} /> Save as CSV
        </button>
      </div>
    </div>
  );
}

const side = (numeric: ReadonlySet<string>, key: string) => (numeric.has(key) ? "text-end" : undefined);

/** Numbers stand below each other at the right. */
function isNumeric(rows: readonly Row[], key: string): boolean {
  const values = rows.map((row) => row[key]).filter((value) => value !== undefined && value !== null);
  return values.length > 0 && values.every((value) => typeof value === "number");
}
