import { useCallback, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { useCalm } from "../../../../lib/hooks/useCalm";
import { useRead } from "../../../../lib/hooks/useRead";
import { studioHref } from "../../../../lib/route";
import { count } from "../../../../lib/words";
import { readTables } from "../../api/database";
import { Find, Pair } from "../Pair";
import { QueryForm } from "./QueryForm";
import { TableView } from "./TableView";
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
  const read = useCallback((signal: AbortSignal) => readTables(agentId, signal), [agentId]);
  const calm = useCalm(revision, CALM_MS);
  const list = useRead(read, calm);
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
                        <a
                          className="studio-item"
                          href={studioHref(agentId, "database", name)}
                          aria-current={name === table ? "true" : undefined}
                        >
                          <span className="studio-item-head">
                            <code className="studio-item-name">{name}</code>
                            <span className="studio-item-version">
                              {count(row_count)} {row_count === 1 ? "row" : "rows"}
                            </span>
                          </span>
                          <span className="studio-item-about">
                            <bdi>
                              {columns
                                .map((column) => column.name)
                                .join(", ")
                                .slice(0, 200)}
                            </bdi>
                          </span>
                        </a>
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
