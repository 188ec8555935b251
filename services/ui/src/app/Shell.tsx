import { useCallback, useEffect, useRef, useState } from "react";
import Offcanvas from "react-bootstrap/Offcanvas";
import { Icon } from "../components/Icon";
import { ChatPage } from "../features/chat/components/ChatPage";
import { NewChat } from "../features/chat/components/NewChat";
import { HistoryPage } from "../features/history/components/HistoryPage";
import { PageTabs } from "../features/pages/components/PageTabs";
import { PageView } from "../features/pages/components/PageView";
import { useAgentPages } from "../features/pages/components/useAgentPages";
import { useRewinding } from "../features/rewind/components/useRewinding";
import { SessionList } from "../features/sessions/components/SessionList";
import { useSessionList } from "../features/sessions/components/useSessionList";
import { attention } from "../features/sessions/fold/view";
import { StudioPage } from "../features/studio/components/StudioPage";
import { chatHref, go, NEW_CHAT, pageHref, parseRoute, useHash } from "../lib/route";
import type { Session } from "../lib/wire";
import { SkipLink } from "./SkipLink";
import { TopLinks } from "./TopLinks";

/** Who answers in a new chat. */
const DEFAULT_AGENT = "default";

/** Below this width the list of chats is a drawer. */
const WIDE = "(min-width: 992px)";

/** The page's frame: chats at the left, the open one in the middle. */
export function Shell() {
  const route = parseRoute(useHash());
  const sessions = useSessionList();
  const [drawer, setDrawer] = useState(false);
  const [offered, setOffered] = useState<{ text: string } | null>(null);
  // Where a chat made here begins in the log: reads must not be older than that.
  const created = useRef(new Map<string, number>());

  const sessionId = "sessionId" in route ? route.sessionId : null;
  const page = route.page === "page" ? route : null;
  const open = sessionId ? sessions?.state.view.sessions[sessionId] : null;
  const agentId = page?.agentId ?? open?.agent_id ?? DEFAULT_AGENT;
  const pages = useAgentPages(agentId);
  const waiting = sessions ? attention(sessions.state.view) : 0;
  const title = page?.name ?? open?.title;
  useEffect(() => {
    document.title = `${waiting ? `(${waiting}) ` : ""}${title ?? "Foldline"}`;
  }, [waiting, title]);

  const closeDrawer = useCallback(() => setDrawer(false), []);
  const onCreated = useCallback((session: Pick<Session, "id" | "last_sequence">) => {
    created.current.set(session.id, session.last_sequence);
    setOffered(null);
    go(chatHref(session.id));
  }, []);
  const onBegunByPage = (session: Pick<Session, "id" | "last_sequence">) => {
    created.current.set(session.id, session.last_sequence);
    if (page) go(pageHref(page.agentId, page.name, session.id));
  };
  const onSayAgain = useCallback((text: string) => {
    setOffered({ text });
    go(NEW_CHAT);
  }, []);

  const menu = (
    <button
      type="button"
      className="btn btn-link btn-icon d-lg-none"
      aria-label={waiting ? `Open the chats, ${waiting} waiting for you` : "Open the chats"}
      onClick={() => setDrawer(true)}
    >
      <Icon name="menu" size={20} />
      {waiting > 0 && <span className="menu-badge">{waiting}</span>}
    </button>
  );
  const known = sessions?.state.view.sessions;
  const after = <TopLinks agentId={sessionId ? known?.[sessionId]?.agent_id : undefined} route={route} />;
  const titleOf = useCallback((id: string) => known?.[id]?.title ?? null, [known]);
  const { rewinding, dialog } = useRewinding(onCreated);
  const autoFocus = window.matchMedia(WIDE).matches;

  return (
    <div className="shell">
      <SkipLink />
      <Offcanvas
        show={drawer}
        onHide={closeDrawer}
        responsive="lg"
        className="sidebar"
        aria-labelledby="sidebar-title"
      >
        <Offcanvas.Header closeButton>
          <Offcanvas.Title as="div" id="sidebar-title">
            Foldline
          </Offcanvas.Title>
        </Offcanvas.Header>
        <Offcanvas.Body>
          {sessions && <SessionList {...sessions} current={sessionId} onGo={closeDrawer} />}
        </Offcanvas.Body>
      </Offcanvas>
      <div className="centre">
        {(route.page === "chat" || route.page === "new" || page) && (
          <PageTabs view={pages} sessionId={sessionId} current={page?.name ?? null} />
        )}
        {page && (
          <PageView
            key={`${page.agentId} ${page.name}`}
            view={pages}
            agentId={page.agentId}
            name={page.name}
            sessionId={sessionId}
            before={menu}
            after={after}
            onNew={onBegunByPage}
          />
        )}
        {route.page === "history" && (
          <HistoryPage
            key={route.sessionId}
            sessionId={route.sessionId}
            at={route.at}
            before={menu}
            after={after}
            rewinding={rewinding}
          />
        )}
        {route.page === "chat" && (
          <ChatPage
            key={route.sessionId}
            sessionId={route.sessionId}
            minSequence={created.current.get(route.sessionId)}
            before={menu}
            after={after}
            autoFocus={autoFocus}
            onSayAgain={onSayAgain}
            rewinding={rewinding}
          />
        )}
        {route.page === "studio" && (
          <StudioPage route={route} before={menu} after={after} titleOf={titleOf} />
        )}
        {route.page === "new" && (
          <NewChat
            before={menu}
            after={after}
            offered={offered}
            autoFocus={autoFocus}
            onCreated={onCreated}
          />
        )}
      </div>
      {dialog}
    </div>
  );
}
