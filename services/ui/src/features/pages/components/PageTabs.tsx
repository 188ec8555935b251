import { chatHref, NEW_CHAT, pageHref } from "../../../lib/route";
import { listed, type PagesView } from "../fold/pageList";
import "../pages.css";

interface Props {
  view: PagesView | null;
  /** The chat beside which the pages are. */
  sessionId: string | null;
  /** The page that is open; null: the chat is. */
  current: string | null;
}

/** The chat and the agent's pages, as tabs. Nothing where there are no pages. */
export function PageTabs({ view, sessionId, current }: Props) {
  const pages = view ? listed(view) : [];
  if (!view || (!pages.length && current === null)) return null;
  return (
    <nav className="page-tabs" aria-label="Chat and pages">
      <ul className="nav nav-underline">
        <li className="nav-item">
          <Tab href={sessionId ? chatHref(sessionId) : NEW_CHAT} open={current === null}>
            Chat
          </Tab>
        </li>
        {pages.map(({ name, description }) => (
          <li className="nav-item" key={name}>
            <Tab
              href={pageHref(view.agentId, name, sessionId)}
              open={current === name}
              title={description.slice(0, 200)}
            >
              {name}
            </Tab>
          </li>
        ))}
      </ul>
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
    <a
      className={`nav-link ${open ? "active" : ""}`}
      href={href}
      title={title}
      aria-current={open ? "page" : undefined}
    >
      {children}
    </a>
  );
}
