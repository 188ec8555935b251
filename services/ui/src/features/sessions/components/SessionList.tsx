import { useMemo } from "react";
import { Icon } from "../../../components/Icon";
import { chatHref, NEW_CHAT } from "../../../lib/route";
import type { ListState, OpenSessionList } from "../api/openSessionList";
import { grouped, type SessionTree } from "../fold/groups";
import { SearchBox } from "./SearchBox";
import { SessionRow } from "./SessionRow";
import "../sessions.css";

interface Props {
  list: OpenSessionList;
  state: ListState;
  current: string | null;
  /** Called when the user has chosen where to go. */
  onGo: () => void;
}

/** All chats: search, newest first by day, sub-sessions below their parents. */
export function SessionList({ list, state, current, onGo }: Props) {
  const { view, search, failure, loaded, cursor, loadingMore } = state;
  const shown = useMemo(() => {
    const all = Object.values(view.sessions);
    if (!search.text) return all;
    const text = search.text.toLowerCase();
    const found = new Set(search.found ?? []);
    // While the server searches, titles that match are shown at once.
    return all.filter((session) => found.has(session.id) || session.title?.toLowerCase().includes(text));
  }, [view.sessions, search]);
  const groups = useMemo(() => grouped(shown, new Date()), [shown]);

  return (
    <nav className="chats" aria-label="Chats">
      <div className="side-head">
        <a className="btn btn-primary new-chat" href={NEW_CHAT} onClick={onGo}>
          <Icon name="plus" /> New chat
        </a>
        <SearchBox onSearch={list.search} />
      </div>
      <div className="session-list">
        {groups.map((group) => (
          <section key={group.label} aria-label={group.label}>
            <h2 className="day-heading">{group.label}</h2>
            <Branch trees={group.trees} current={current} onGo={onGo} />
          </section>
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

function Branch({
  trees,
  current,
  onGo,
}: {
  trees: readonly SessionTree[];
  current: string | null;
  onGo: () => void;
}) {
  return (
    <ul className="session-branch">
      {trees.map(({ session, children }) => (
        <li key={session.id}>
          <SessionRow
            session={session}
            href={chatHref(session.id)}
            current={session.id === current}
            onGo={onGo}
          />
          {children.length > 0 && <Branch trees={children} current={current} onGo={onGo} />}
        </li>
      ))}
    </ul>
  );
}
