import { useCallback, useState } from "react";
import { Diff } from "../../../components/Diff";
import { CodeBlock } from "../../../components/markdown/CodeBlock";
import { Reading } from "../../../components/Reading";
import { useRead } from "../../../lib/hooks/useRead";
import { count } from "../../../lib/words";
import { readRows, readTables } from "../api/requests";

interface Props {
  agentId: string;
  /** null: now. */
  at: number | null;
  /** It was written to since. */
  differs: boolean;
}

/** The agent's database as it was: its tables, each of which opens to its rows and what became of them. */
export function DatabaseThen({ agentId, at, differs }: Props) {
  const read = useRead(
    useCallback(
      async (signal) => {
        const then = await readTables(agentId, at, signal);
        const now = differs ? await readTables(agentId, null, signal) : then;
        const rows = (tables: typeof then, name: string) =>
          tables.find((one) => one.name === name)?.row_count ?? null;
        const names = [...new Set([...then, ...now].map(({ name }) => name))].sort();
        return names.map((name) => ({ name, was: rows(then, name), is: rows(now, name) }));
      },
      [agentId, at, differs],
    ),
  );
  return (
    <Reading read={read}>
      {(tables) => (
        <section aria-label="Database">
          {tables.length === 0 && <p className="text-body-secondary">The database has no tables.</p>}
          {tables.map((table, index) => (
            <Table key={table.name} {...{ agentId, at, table, differs }} first={index === 0 && differs} />
          ))}
        </section>
      )}
    </Reading>
  );
}

interface TableProps extends Props {
  /** Its rows then and now; null: it isn't there. */
  table: { name: string; was: number | null; is: number | null };
  first: boolean;
}

function Table({ agentId, at, differs, table, first }: TableProps) {
  const [open, setOpen] = useState(first);
  const { name, was: then, is: now } = table;
  const since =
    then === null
      ? "not there yet"
      : now === null
        ? "removed since"
        : then === now
          ? ""
          : `${count(now)} now`;
  return (
    <details className="thing" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={`thing-sign ${since ? "is-different" : ""}`} aria-hidden="true">
          {then === null ? "+" : now === null ? "−" : then === now ? "=" : "~"}
        </span>
        <span className="thing-name">{name}</span>
        <span className="thing-since">
          {then !== null && `${count(then)} ${then === 1 ? "row" : "rows"}`} {since}
        </span>
      </summary>
      {open && <TableRows {...{ agentId, at, table, differs }} />}
    </details>
  );
}

function TableRows({ agentId, at, differs, table }: Omit<TableProps, "first">) {
  const { name } = table;
  const wasThere = table.was !== null;
  const isThere = table.is !== null;
  const read = useRead(
    useCallback(
      async (signal) => {
        const then = wasThere ? await readRows(agentId, name, at, signal) : "";
        return [then, !differs ? then : isThere ? await readRows(agentId, name, null, signal) : ""] as const;
      },
      [agentId, name, at, differs, wasThere, isThere],
    ),
  );
  return (
    <Reading read={read}>
      {([then, now]) =>
        then === now ? (
          <CodeBlock label={`Rows of ${name}`}>{then}</CodeBlock>
        ) : (
          <Diff before={then} after={now} label={`Rows of ${name}: then and now`} />
        )
      }
    </Reading>
  );
}
