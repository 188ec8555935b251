import { useCallback, useMemo, useState } from "react";
import { Icon } from "../../../components/Icon";
import { useNow } from "../../../lib/hooks/useNow";
import { chatHref, NEW_CHAT } from "../../../lib/route";
import type { ListState, OpenSessionList } from "../api/openSessionList";
import { ARCHIVED, type DayGroup, grouped, type SessionTree } from "../fold/groups";
import { SearchBox } from "./SearchBox";
import { SelectedBar } from "./SelectedBar";
import { type RowActions, SessionRow } from "./SessionRow";
import "../sessions.css";

interface Props {
  list: OpenSessionList;
  state: ListState;
  current: string | null;
  /** Called when the user has chosen where to go. */
  onGo: () => void;
}

/** All chats: search, newest first by day, sub-sessions and forks below what they come from. */
export function SessionList({ list, state, current, onGo }: Props) {
  const { view, search, failure, loaded, cursor, loadingMore } = state;
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null);
  const now = useNow();
  const shown = useMemo(() => {
    const all = Object.values(view.sessions);
    if (!search.text) return all;
    const text = search.text.toLowerCase();
    const found = search.found ?? {};
    // While the server searches, titles that match are shown at once.
    return all.filter((session) => session.id in found || session.title?.toLowerCase().includes(text));
  }, [view.sessions, search]);
  const groups = useMemo(() => grouped(shown, now), [shown, now]);
  const select = useCallback(
    (id: string) =>
      setSelected((before) => {
        const after = new Set(before);
        if (!after.delete(id)) after.add(id);
        return after;
      }),
    [],
  );
  const actions = useMemo<RowActions>(
    () => ({
      act: (action, ids) => void list.act(action, ids),
      rename: (id, title) => void list.rename(id, title),
      select,
      go: onGo,
    }),
    [list, select, onGo],
  );
  const rows = { current, now, found: search.found ?? {}, selected, actions };

  return (
    <nav className="chats" aria-label="Chats">
      <div className="side-head">
        <a className="btn btn-primary new-chat" href={NEW_CHAT} onClick={onGo}>
          <Icon name="plus" /> New chat
        </a>
        <SearchBox onSearch={list.search} />
      </div>
      {selected && (
        <SelectedBar
          sessions={[...selected].flatMap((id) => view.sessions[id] ?? [])}
          onAct={(action, ids) => {
            setSelected(null);
            void list.act(action, ids);
          }}
          onClose={() => setSelected(null)}
        />
      )}
      <div className="session-list">
        {search.text && search.found !== null && shown.length > 0 && (
          <p className="side-note" role="status">
            {shown.length === 1 ? "1 chat" : `${shown.length} chats`}
          </p>
        )}
        {groups.map((group) => (
          <Group key={group.label} group={group} searching={search.text !== ""} {...rows} />
        ))}
        {failure && (
          <div className="side-note" role="alert">
            <p>{failure}</p>
            <button type="button" className="btn btn-sm btn-outline-secondary" onClick={list.reload}>
              Try again
            </button>
          </div>
        )}
        <div className="side-note" role="status">
          {search.text && search.found === null && "Searching…"}
          {search.text && search.found !== null && !shown.length && "Nothing found."}
          {!search.text && loaded && !shown.length && "No chats yet."}
        </div>
        {cursor && !search.text && (
          <button
            type="button"
            className="btn btn-link btn-sm"
            disabled={loadingMore}
            onClick={() => void list.loadMore()}
          >
            {loadingMore ? "Loading…" : "Show older chats"}
          </button>
        )}
      </div>
    </nav>
  );
}

interface Rows {
  current: string | null;
  now: Date;
  found: NonNullable<ListState["search"]["found"]>;
  selected: ReadonlySet<string> | null;
  actions: RowActions;
}

/** What is archived is folded, unless it is looked for. */
function Group({ group, searching, ...rows }: Rows & { group: DayGroup; searching: boolean }) {
  const { label, trees } = group;
  if (label !== ARCHIVED || searching)
    return (
      <section aria-label={label}>
        <h2 className="day-heading">{label}</h2>
        <Branch trees={trees} {...rows} />
      </section>
    );
  const open = trees.some(({ session }) => session.id === rows.current);
  return (
    <section aria-label={label}>
      <details className="archived" open={open || undefined}>
        <summary className="day-heading">
          {label} <span>{trees.length}</span>
        </summary>
        <Branch trees={trees} {...rows} />
      </details>
    </section>
  );
}

function Branch({ trees, ...rows }: Rows & { trees: readonly SessionTree[] }) {
  const { current, now, found, selected, actions } = rows;
  return (
    <ul className="session-branch">
      {trees.map(({ session, children }) => (
        <li key={session.id}>
          <SessionRow
            session={session}
            href={chatHref(session.id)}
            current={session.id === current}
            now={now}
            found={found[session.id] ?? null}
            selected={selected?.has(session.id) ?? null}
            actions={actions}
          />
          {children.length > 0 && <Branch trees={children} {...rows} />}
        </li>
      ))}
    </ul>
  );
}
