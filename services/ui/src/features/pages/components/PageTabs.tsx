import { Icon } from "../../../components/Icon";
import { chatHref, historyHref, NEW_CHAT, pageHref } from "../../../lib/route";
import { listed, type PagesView } from "../fold/pageList";
import "../pages.css";

interface Props {
  view: PagesView | null;
  /** The chat beside which the pages are. */
  sessionId: string | null;
  /** Which of the chat's own views is open, if no page is. */
  current: "chat" | "history";
  /** The page that is open. */
  page: string | null;
}

/** The chat, its history and the agent's pages, as tabs of the header. Nothing where there is only one. */
export function PageTabs({ view, sessionId, current, page }: Props) {
  const pages = view ? listed(view) : [];
  if (!sessionId && !pages.length && page === null) return null;
  return (
    <nav className="tabs" aria-label="Chat, history and pages">
      <Tab href={sessionId ? chatHref(sessionId) : NEW_CHAT} open={page === null && current === "chat"}>
        Chat
      </Tab>
      {sessionId && (
        <a
          className="tab tab-history"
          href={historyHref(sessionId)}
          title="Every step of this chat: look at any moment, and go back to it"
          aria-current={page === null && current === "history" ? "page" : undefined}
        >
          <Icon name="rewind" size={14} /> History
        </a>
      )}
      {view &&
        pages.map(({ name, description }) => (
          <Tab
            key={name}
            href={pageHref(view.agentId, name, sessionId)}
            open={page === name}
            title={description.slice(0, 200)}
          >
            {name}
          </Tab>
        ))}
    </nav>
  );
}

interface TabProps {
  href: string;
  open: boolean;
  title?: string;
  children: string;
}

function Tab({ href, open, title, children }: TabProps) {
  return (
    <a className="tab" href={href} title={title} aria-current={open ? "page" : undefined}>
      {children}
    </a>
  );
}
