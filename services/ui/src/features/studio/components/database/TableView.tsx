import { useCallback, useId, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { RowPages } from "../../../../components/RowPages";
import { useRead } from "../../../../lib/hooks/useRead";
import { type Order, pressed } from "../../../../lib/ordering";
import { studioHref } from "../../../../lib/route";
import type { DatabaseTable } from "../../../../lib/wire";
import { count } from "../../../../lib/words";
import { readCell, readRows } from "../../api/database";
import { ROWS, tableQuery } from "../../fold/rows";
import { Grid } from "./Grid";

interface Props {
  agentId: string;
  name: string;
  /** null: the database doesn't have it. */
  table: DatabaseTable | null;
  revision: string;
}

/** One table: its columns, and its rows a page at a time. */
export function TableView({ agentId, name, table, revision }: Props) {
  return (
    <article className="studio-thing database-thing" aria-label={`Table ${name}`}>
      <a className="studio-back" href={studioHref(agentId, "database")}>
        The database
      </a>
      <header className="studio-title">
        <h2>
          <code>{name}</code>
        </h2>
      </header>
      {table === null ? (
        <p className="alert alert-warning">
          No table has this name. The agent may have dropped it since you opened it.
        </p>
      ) : (
        <>
          <Columns table={table} />
          <Rows agentId={agentId} table={table} revision={revision} />
        </>
      )}
    </article>
  );
}

function Columns({ table: { columns } }: { table: DatabaseTable }) {
  return (
    <details className="database-columns">
      <summary>
        {count(columns.length)} {columns.length === 1 ? "column" : "columns"}
      </summary>
      <ul>
        {columns.slice(0, 500).map(({ name, type, notnull, pk }) => (
          <li key={name}>
            <code>{name}</code> {type}
            {pk && " · part of the primary key"}
            {notnull && " · never NULL"}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Rows({ agentId, table, revision }: { agentId: string; table: DatabaseTable; revision: string }) {
  const { name, row_count: all } = table;
  const [order, setOrder] = useState<Order | null>(null);
  const [first, setFirst] = useState(0);
  const read = useCallback(
    (signal: AbortSignal) => readRows(agentId, name, order, first, signal),
    [agentId, name, order, first],
  );
  const rows = useRead(read, revision);
  const label = useId();
  return (
    <section aria-labelledby={label}>
      <h3 className="visually-hidden" id={label}>
        Rows
      </h3>
      <RowPages first={first} all={all} page={ROWS} onFirst={setFirst} />
      <Reading read={rows}>
        {(found) => (
          <Grid
            label={`Rows of ${name}`}
            columns={found.columns}
            rows={found.rows}
            first={first}
            order={order}
            onOrder={(column) => {
              setOrder(pressed(order, column));
              setFirst(0);
            }}
            whole={(row, column, signal) =>
              readCell(agentId, tableQuery(name, order, row), 0, column, signal)
            }
          />
        )}
      </Reading>
    </section>
  );
}
