import { useRef, useState } from "react";
import { CodeEditor } from "../../../../components/CodeEditor";
import { RowPages } from "../../../../components/RowPages";
import { useAction } from "../../../../lib/hooks/useAction";
import type { DatabaseRows } from "../../../../lib/wire";
import { count } from "../../../../lib/words";
import { keepQuery, readQuery } from "../../api/drafts";
import { readCell, runQuery } from "../../api/files";
import { ROWS } from "../../fold/rows";
import { Failure, Press } from "../controls";
import { Grid } from "./Grid";

const BEGINNING = "SELECT name, sql FROM sqlite_schema WHERE type = 'table'";

/** A statement of one's own that reads. What is written here survives leaving the room, and a reload. */
export function QueryForm({ agentId }: { agentId: string }) {
  const [sql, setSql] = useState(() => readQuery(agentId) || BEGINNING);
  const [found, setFound] = useState<{ sql: string; rows: DatabaseRows } | null>(null);
  const [first, setFirst] = useState(0);
  const action = useAction();
  const asking = useRef<AbortController | null>(null);

  function run() {
    if (action.working) return;
    const mine = new AbortController();
    asking.current = mine;
    setFound(null);
    setFirst(0);
    action.run(
      () => runQuery(agentId, sql, mine.signal),
      (rows) => setFound({ sql, rows }),
    );
  }

  const stopped = asking.current?.signal.aborted === true;
  return (
    <section className="studio-thing database-thing" aria-label="Query">
      <h2 className="fs-5">Query</h2>
      <p className="small text-body-secondary">
        One SQLite statement that reads, for five seconds and a thousand rows at most. It changes nothing: ask
        the agent to write.
      </p>
      <div
        onKeyDownCapture={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.stopPropagation();
          run();
        }}
      >
        <CodeEditor
          label="Statement"
          language="text"
          text={sql}
          onChange={(text) => {
            setSql(text);
            keepQuery(agentId, text);
          }}
        />
      </div>
      <div className="studio-buttons studio-run">
        <Press
          large
          look="btn-primary"
          icon="play"
          disabled={action.working || !sql.trim()}
          title="Ctrl-Enter"
          onPress={run}
        >
          {action.working ? "Running…" : "Run"}
        </Press>
        {action.working && (
          <Press large onPress={() => asking.current?.abort()}>
            Stop waiting
          </Press>
        )}
      </div>
      {!stopped && <Failure failure={action.failure} />}
      {stopped && !action.working && (
        <p role="status">You stopped waiting. The statement ends automatically and changes nothing.</p>
      )}
      {found && (
        <>
          <RowPages first={first} all={found.rows.rows.length} page={ROWS} onFirst={setFirst} />
          {found.rows.truncated && (
            <p className="small text-body-secondary">
              There are more: these are the first {count(found.rows.rows.length)}. LIMIT and OFFSET lead to
              the others.
            </p>
          )}
          <Grid
            key={found.sql}
            label="Rows of the query"
            columns={found.rows.columns}
            rows={found.rows.rows.slice(first, first + ROWS)}
            first={first}
            whole={(row, column, signal) => readCell(agentId, found.sql, row, column, signal)}
          />
        </>
      )}
    </section>
  );
}
