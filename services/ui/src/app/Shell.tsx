import { Suspense, useCallback, useEffect, useMemo, useState } from "react";
import Offcanvas from "react-bootstrap/Offcanvas";
import { PageCrash, PartCrash } from "../components/Crash";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { Icon } from "../components/Icon";
import { Logo } from "../components/Logo";
import { HeaderEnds, PageLayout } from "../components/PageLayout";
import { useAttention } from "../features/attention/components/useAttention";
import { count } from "../features/attention/fold/view";
import { PageTabs } from "../features/pages/components/PageTabs";
import { useAgentPages } from "../features/pages/components/useAgentPages";
import { listed } from "../features/pages/fold/pageList";
import { usePalette } from "../features/palette/components/usePalette";
import { useRewinding } from "../features/rewind/components/useRewinding";
import { SessionList } from "../features/sessions/components/SessionList";
import { useDeleting } from "../features/sessions/components/useDeleting";
import { useSessionList } from "../features/sessions/components/useSessionList";
import { trees } from "../features/sessions/fold/groups";
import { shelves } from "../features/studio/fold/shelves";
import { AskToDelete } from "../lib/deleting";
import { go, NEW_CHAT, PATHS, useHash } from "../lib/route";
import type { Desk } from "./desk";
import { FullDisk } from "./FullDisk";
import { OldLists } from "./OldLists";
import { type Place, placeOf } from "./routes";
import { SkipLink } from "./SkipLink";
import { MoreLinks, TopLinks } from "./TopLinks";
import { useBeginning } from "./useBeginning";

/** Whose things are shown where no other agent is in sight: the one that is always there. */
const DEFAULT_AGENT = "default";

const ROOMS = shelves();

const CHATS = { what: "The list of chats", safe: "The chats are safe." };

/** The page's frame: chats at the left, the open page in the middle. */
export function Shell() {
  const hash = useHash();
  const place = placeOf(hash);
  const sessions = useSessionList();
  const [drawer, setDrawer] = useState(false);
  const beginning = useBeginning();
  const { rewinding, dialog } = useRewinding(beginning.onCreated);

  const known = sessions?.state.view.sessions;
  const open = place.sessionId === null ? undefined : known?.[place.sessionId];
  const agentId = place.agentId ?? open?.agent_id ?? DEFAULT_AGENT;
  const pages = useAgentPages(agentId);
  const inbox = useAttention();
  const waitingThings = inbox?.state.view ? count(inbox.state.view) : 0;
  const titleOf = useCallback((id: string) => known?.[id]?.title ?? null, [known]);
  const desk = { ...beginning, pages, attention: inbox, rewinding, titleOf };

  const listedSessions = useCallback(
    () => trees(Object.values(known ?? {})).map(({ session }) => session),
    [known],
  );
  const { palette, openPalette } = usePalette({
    listed: listedSessions,
    session: open ?? null,
    agentId,
    pages: pages ? listed(pages).map(({ name }) => name) : [],
    rooms: ROOMS,
    rewinding,
  });

  const { askToDelete, dialog: deleting } = useDeleting(
    sessions?.list ?? null,
    useCallback((ids: readonly string[]) => {
      if (ids.includes(placeOf(window.location.hash).sessionId ?? "")) go(NEW_CHAT);
    }, []),
  );
  const erased = place.sessionId !== null && (sessions?.state.view.erased.includes(place.sessionId) ?? false);
  const title = place.title(desk);
  useEffect(() => {
    document.title = `${waitingThings ? `(${waitingThings}) ` : ""}${title ?? "Foldline"}`;
  }, [waitingThings, title]);

  const closeDrawer = useCallback(() => setDrawer(false), []);
  const { tabs, sessionId, page } = place;
  const inStudio = place.path === PATHS.studio;
  const ends = useMemo(
    () => ({
      before: <Menu waiting={waitingThings} onOpen={() => setDrawer(true)} />,
      tabs: tabs && <PageTabs view={pages} sessionId={sessionId} current={tabs} page={page} />,
      after: (
        <TopLinks agentId={agentId} inStudio={inStudio} waiting={waitingThings} onPalette={openPalette} />
      ),
    }),
    [tabs, pages, sessionId, page, agentId, inStudio, waitingThings, openPalette],
  );

  return (
    <AskToDelete.Provider value={askToDelete}>
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
            <nav className="d-none d-lg-block" aria-label="Home">
              <a className="brand" href={NEW_CHAT}>
                <Logo size={22} /> Foldline
              </a>
            </nav>
            <ErrorBoundary
              fallback={(error, again) => <PartCrash {...CHATS} error={error} onAgain={again} />}
            >
              {sessions && <SessionList {...sessions} current={place.sessionId} onGo={closeDrawer} />}
            </ErrorBoundary>
            <div className="drawer-foot d-sm-none">
              <MoreLinks onGo={closeDrawer} />
            </div>
          </Offcanvas.Body>
        </Offcanvas>
        <div className="centre">
          <FullDisk />
          <OldLists />
          <HeaderEnds value={ends}>
            <ErrorBoundary
              shown={hash}
              fallback={(error, again) => <PageCrash error={error} onAgain={again} />}
            >
              <Suspense fallback={<PageComes />}>
                {erased ? <Erased /> : <Page place={place} desk={desk} />}
              </Suspense>
            </ErrorBoundary>
          </HeaderEnds>
        </div>
        {dialog}
        {deleting}
        {palette}
      </div>
    </AskToDelete.Provider>
  );
}

/** The open page, drawn within its boundary. */
function Page({ place, desk }: { place: Place; desk: Desk }) {
  return place.show(desk);
}

/** In place of what was open of a chat that was deleted, here or elsewhere. */
function Erased() {
  return (
    <PageLayout label="Chat" heading="Chat" className="chat">
      <div className="chat-centre" role="alert">
        <h2 className="h5">This chat was deleted</h2>
        <p className="text-body-secondary">It was deleted permanently. Your other chats are not affected.</p>
        <a className="btn btn-primary" href={NEW_CHAT}>
          New chat
        </a>
      </div>
    </PageLayout>
  );
}

/** While a page is fetched. */
function PageComes() {
  return (
    <PageLayout label="Loading" heading="Loading…" className="chat">
      {null}
    </PageLayout>
  );
}

/** Opens the list of chats where it is a drawer. */
function Menu({ waiting, onOpen }: { waiting: number; onOpen: () => void }) {
  return (
    <button
      type="button"
      className="btn btn-link btn-icon d-lg-none"
      aria-label={waiting ? `Open the chats, ${waiting} waiting for you` : "Open the chats"}
      onClick={onOpen}
    >
      <Icon name="menu" size={20} />
      {waiting > 0 && <span className="menu-badge">{waiting}</span>}
    </button>
  );
}
