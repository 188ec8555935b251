import type { ReactNode } from "react";
import { DraftDrawing } from "../components/markdown/draftDrawing";
import { AttentionPage } from "../features/attention/components/AttentionPage";
import { BlocksCard, type DrawFrame } from "../features/blocks/components/BlocksCard";
import { StepsCard } from "../features/blocks/components/StepsCard";
import { ChatPage } from "../features/chat/components/ChatPage";
import { NewChat } from "../features/chat/components/composing/NewChat";
import { HistoryPage } from "../features/history/components/HistoryPage";
import { SawPage } from "../features/history/components/SawPage";
import { TracePage } from "../features/history/components/TracePage";
import { AppView } from "../features/pages/components/AppView";
import { DraftView } from "../features/pages/components/DraftView";
import { PageBeside } from "../features/pages/components/PageBeside";
import { PageView } from "../features/pages/components/PageView";
import { RenderView } from "../features/pages/components/RenderView";
import { ConnectModel } from "../features/setup/components/ConnectModel";
import { placeOf as placeOfEvent } from "../lib/address";
import { PATHS, type Parts, type Path, partsOf } from "../lib/route";
import { type Draw, type DrawDraft, isSteps, questionKey } from "../lib/shown";
import type { Desk } from "./desk";
import { GalleryPage, NotificationsPage, PastPage, StudioPage } from "./laterPages";

interface Route<Pattern extends Path> {
  path: Pattern;
  /** What the browser's tab is called; null: as the product is. */
  title(parts: Parts<Pattern>, desk: Desk): string | null;
  page(parts: Parts<Pattern>, desk: Desk): ReactNode;
  /** The chat, its history and the agent's pages are tabs of its header; it is this one of them, or a page. */
  tabs?: "chat" | "history";
}

function route<Pattern extends Path>(one: Route<Pattern>): Route<Pattern> {
  return one;
}

const connectModel = (onConnected: () => void) => <ConnectModel onConnected={onConnected} />;

const NEW = route({
  path: PATHS.new,
  tabs: "chat",
  title: () => null,
  page: (_, desk) => (
    <NewChat
      offered={desk.offered}
      autoFocus={desk.autoFocus}
      onCreated={desk.onCreated}
      connect={connectModel}
    />
  ),
});

const CHAT = route({
  path: PATHS.chat,
  tabs: "chat",
  title: ({ sessionId }, desk) => desk.titleOf(sessionId),
  page: ({ sessionId }, desk) => chatPage(sessionId, desk),
});

const drawBlocks: Draw = (shown) =>
  isSteps(shown.call) ? (
    <StepsCard key={questionKey(shown.call)} {...shown} />
  ) : (
    <BlocksCard {...shown} drawFrame={drawFrame} />
  );

/** The block of an extension runs as a component of the agent's that was written for this once. */
const drawFrame: DrawFrame = ({ name, code, props }, shown) => (
  <RenderView {...shown} call={{ ...shown.call, show: { title: name, code, props } }} />
);
const drawComponent: Draw = (shown) => <RenderView key={shown.call.call_id} {...shown} />;

const drawApp: Draw = (shown) => <AppView key={`app ${shown.call.call_id}`} {...shown} />;

const drawDraft: DrawDraft = (draft) => <DraftView key={`${draft.agentId} ${draft.name}`} {...draft} />;

/** A chat; `beside` it, in the canvas, a page of the agent. */
function chatPage(sessionId: string, desk: Desk, beside?: ReactNode): ReactNode {
  const created = desk.createdAt(sessionId);
  return (
    <ChatPage
      key={sessionId}
      sessionId={sessionId}
      minSequence={created}
      // Who began it here was writing, and writes on: on a narrow page, too, where opening a chat moves no focus.
      autoFocus={desk.autoFocus || created !== undefined}
      onSayAgain={desk.onSayAgain}
      rewinding={desk.rewinding}
      drawBlocks={drawBlocks}
      drawComponent={drawComponent}
      drawApp={drawApp}
      beside={beside}
    />
  );
}

const HISTORY = route({
  path: PATHS.history,
  tabs: "history",
  title: ({ sessionId }, desk) => desk.titleOf(sessionId),
  page: ({ sessionId, at }, desk) => (
    <HistoryPage
      key={sessionId}
      sessionId={sessionId}
      at={at === null ? null : placeOfEvent(at)}
      rewinding={desk.rewinding}
      drawBlocks={drawBlocks}
      drawComponent={drawComponent}
    />
  ),
});

const SAW = route({
  path: PATHS.saw,
  tabs: "history",
  title: ({ sessionId }, desk) => desk.titleOf(sessionId),
  page: ({ sessionId, call, part }) => (
    <SawPage
      key={`${sessionId} ${call}`}
      sessionId={sessionId}
      call={call}
      part={part === null ? null : Number(part)}
    />
  ),
});

const TRACE = route({
  path: PATHS.trace,
  tabs: "history",
  title: ({ sessionId }, desk) => desk.titleOf(sessionId),
  page: ({ sessionId, at }) => (
    <TracePage key={sessionId} sessionId={sessionId} at={at === null ? null : placeOfEvent(at)} />
  ),
});

const PAGE = route({
  path: PATHS.page,
  tabs: "chat",
  title: ({ page }) => page,
  page: ({ agentId, page }, desk) => (
    <PageView
      key={`${agentId} ${page}`}
      view={desk.pages}
      agentId={agentId}
      name={page}
      onNew={desk.onBegunByPage(agentId, page)}
    />
  ),
});

const PAGE_BESIDE = route({
  path: PATHS.pageBeside,
  tabs: "chat",
  title: ({ page }) => page,
  page: ({ agentId, page, sessionId }, desk) =>
    chatPage(
      sessionId,
      desk,
      <PageBeside
        key={`${agentId} ${page}`}
        view={desk.pages}
        agentId={agentId}
        name={page}
        sessionId={sessionId}
      />,
    ),
});

const STUDIO = route({
  path: PATHS.studio,
  title: () => null,
  page: (parts, desk) => (
    <DraftDrawing.Provider value={drawDraft}>
      <StudioPage route={parts} titleOf={desk.titleOf} />
    </DraftDrawing.Provider>
  ),
});

const PAST = route({
  path: PATHS.past,
  title: () => "The agent's past",
  page: ({ agentId }, { rewinding }) => <PastPage key={agentId} agentId={agentId} rewinding={rewinding} />,
});

const ATTENTION = route({
  path: PATHS.attention,
  title: () => "Inbox",
  page: (_, { attention }) => <AttentionPage attention={attention} />,
});

const NOTIFICATIONS = route({
  path: PATHS.notifications,
  title: () => "Notifications",
  page: () => <NotificationsPage />,
});

const GALLERY = route({
  path: PATHS.gallery,
  title: () => "Gallery",
  page: () => <GalleryPage />,
});

/** Where the user is. */
export interface Place {
  path: Path;
  sessionId: string | null;
  agentId: string | null;
  /** The agent's page that is open. */
  page: string | null;
  tabs: "chat" | "history" | null;
  title(desk: Desk): string | null;
  show(desk: Desk): ReactNode;
}

function place<Pattern extends Path>(one: Route<Pattern>, parts: Parts<Pattern>): Place {
  const named: { sessionId?: string; agentId?: string; page?: string } = { ...parts };
  return {
    path: one.path,
    sessionId: named.sessionId ?? null,
    agentId: named.agentId ?? null,
    page: named.page ?? null,
    tabs: one.tabs ?? null,
    title: (desk) => one.title(parts, desk),
    show: (desk) => one.page(parts, desk),
  };
}

function found<Pattern extends Path>(one: Route<Pattern>, hash: string): Place | null {
  const parts = partsOf(one.path, hash);
  return parts && place(one, parts);
}

/** The page of a fragment; the new chat for any that no page has. */
export function placeOf(hash: string): Place {
  return (
    found(CHAT, hash) ??
    found(HISTORY, hash) ??
    found(SAW, hash) ??
    found(TRACE, hash) ??
    found(PAGE, hash) ??
    found(PAGE_BESIDE, hash) ??
    found(STUDIO, hash) ??
    found(PAST, hash) ??
    found(ATTENTION, hash) ??
    found(NOTIFICATIONS, hash) ??
    found(GALLERY, hash) ??
    place(NEW, {})
  );
}
