import { useId, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { RowPages } from "../../../../components/RowPages";
import { useCalm } from "../../../../lib/hooks/useCalm";
import { useReadOf } from "../../../../lib/hooks/useRead";
import { type Order, pressed } from "../../../../lib/ordering";
import { studioHref } from "../../../../lib/route";
import type { DatabaseTable } from "../../../../lib/wire";
import { count } from "../../../../lib/words";
import { readCell, readRows, readTables } from "../../api/files";
import { ROWS, tableQuery } from "../../fold/rows";
import { Pair } from "../controls";
import { Find, ItemLink } from "../rows";
import { Grid } from "./Grid";
import { QueryForm } from "./QueryForm";
import "../../database.css";

/** What an agent that writes all the time changes is read no oftener than this (ms). */
const CALM_MS = 1_000;
/** Tables that are listed. */
const LISTED = 200;

interface Props {
  agentId: string;
  /** The table that is chosen; null: the query. */
  table: string | null;
  revision: string;
}

/** The agent's database: its tables with their rows, and a query of one's own. Nothing here changes it. */
export function Database({ agentId, table, revision }: Props) {
  const [words, setWords] = useState("");
  const calm = useCalm(revision, CALM_MS);
  const list = useReadOf(readTables, [agentId], calm);
  return (
    <Pair
      label="Tables"
      chosen={table !== null}
      className="has-query"
      list={
        <>
          <Find label="Find a table" words={words} onWords={setWords}>
            <a className="btn btn-sm btn-outline-secondary" href={studioHref(agentId, "database")}>
              Query
            </a>
          </Find>
          <Reading read={list}>
            {(tables) => {
              const found = tables.filter(({ name }) =>
                name.toLowerCase().includes(words.trim().toLowerCase()),
              );
              return (
                <>
                  <ul className="studio-items">
                    {found.slice(0, LISTED).map(({ name, row_count, columns }) => (
                      <li key={name}>
                        <ItemLink
                          href={studioHref(agentId, "database", name)}
                          current={name === table}
                          name={<code className="studio-item-name">{name}</code>}
                          version={`${count(row_count)} ${row_count === 1 ? "row" : "rows"}`}
                          about={<bdi>{names(columns)}</bdi>}
                        />
                      </li>
                    ))}
                  </ul>
                  <p className="side-note" role="status">
                    {tables.length === 0 && "No tables yet. The agent makes them when it has rows to keep."}
                    {tables.length > 0 && found.length === 0 && "Nothing found."}
                    {found.length > LISTED &&
                      `The first ${count(LISTED)} of ${count(found.length)} tables. Find narrows them down.`}
                  </p>
                </>
              );
            }}
          </Reading>
        </>
      }
    >
      {table === null ? (
        <QueryForm key={agentId} agentId={agentId} />
      ) : (
        <Reading read={list}>
          {(tables) => (
            <TableView
              key={table}
              agentId={agentId}
              name={table}
              table={tables.find(({ name }) => name === table) ?? null}
              revision={calm}
            />
          )}
        </Reading>
      )}
    </Pair>
  );
}

const names = (columns: DatabaseTable["columns"]): string =>
  columns
    .map(({ name }) => name)
    .join(", ")
    .slice(0, 200);

interface TableProps {
  agentId: string;
  name: string;
  /** null: the database doesn't have it. */
  table: DatabaseTable | null;
  revision: string;
}

/** One table: its columns, and its rows a page at a time. */
function TableView({ agentId, name, table, revision }: TableProps) {
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
  const rows = useReadOf(readRows, [agentId, name, order, first], revision);
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
