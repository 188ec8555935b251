/** Where the user is, in the address's fragment: works behind any static file server and survives a reload. */
import { useSyncExternalStore } from "react";

export type Route =
  | { page: "new" }
  | { page: "chat"; sessionId: string }
  /** A session's events, and the session as of one of them (null: none is chosen). */
  | { page: "history"; sessionId: string; at: number | null }
  /** A page that an agent made, beside a chat or (null) the new one. */
  | { page: "page"; agentId: string; name: string; sessionId: string | null }
  | StudioRoute;

/** What an agent made: a section of it, one thing there by name, and a view of that; null: none is chosen. */
export interface StudioRoute {
  page: "studio";
  agentId: string;
  section: string | null;
  name: string | null;
  view: string | null;
}

const SESSION = /^#\/s\/([A-Za-z0-9_-]{1,64})(?:\/(history)(?:\/([1-9]\d{0,14}))?)?$/;
const STUDIO = /^#\/studio\/([A-Za-z0-9_-]{1,64})(?:\/([a-z]+)(?:\/([^/]+)(?:\/([a-z]+))?)?)?$/;
const PAGE = /^#(?:\/s\/([A-Za-z0-9_-]{1,64}))?\/pages\/([A-Za-z0-9_-]{1,64})\/([A-Za-z0-9_%-]{1,200})$/;

/** Read a fragment such as `#/s/s_01jd3` or `#/studio/default/tools`; anything else is the new chat. */
export function parseRoute(hash: string): Route {
  const studio = STUDIO.exec(hash);
  if (studio) return studioRoute(studio);
  const [, beside, agentId, encoded] = PAGE.exec(hash) ?? [];
  const name = encoded && decoded(encoded);
  if (agentId && name) return { page: "page", agentId, name, sessionId: beside ?? null };
  const [, sessionId, history, at] = SESSION.exec(hash) ?? [];
  if (!sessionId) return { page: "new" };
  return history ? { page: "history", sessionId, at: at ? Number(at) : null } : { page: "chat", sessionId };
}

function studioRoute([, agentId = "", section, name, view]: RegExpExecArray): Route {
  const text = name === undefined ? null : decoded(name);
  if (name !== undefined && text === null) return { page: "new" };
  return { page: "studio", agentId, section: section ?? null, name: text, view: view ?? null };
}

export const NEW_CHAT = "#/";

/** The fragment of a session's chat. */
export function chatHref(sessionId: string): string {
  return `#/s/${sessionId}`;
}

/** The fragment of a session's history, or of the session as of event `at`. */
export function historyHref(sessionId: string, at?: number): string {
  return at === undefined ? `#/s/${sessionId}/history` : `#/s/${sessionId}/history/${at}`;
}

/** The fragment of what an agent made, down to a view of one thing. Names may be any text. */
export function studioHref(agentId: string, section?: string, name?: string, view?: string): string {
  const parts = [section, name === undefined ? undefined : encodeURIComponent(name), view];
  return `#/studio/${[agentId, ...parts.filter((part) => part !== undefined)].join("/")}`;
}

/** The fragment of an agent's page, beside a chat if there is one. */
export function pageHref(agentId: string, name: string, sessionId: string | null): string {
  return `#${sessionId ? `/s/${sessionId}` : ""}/pages/${agentId}/${encodeURIComponent(name)}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Go there. */
export function go(href: string): void {
  window.location.hash = href;
}

/** The fragment, following the browser's back and forward. */
export function useHash(): string {
  return useSyncExternalStore(
    (listener) => {
      window.addEventListener("hashchange", listener);
      return () => window.removeEventListener("hashchange", listener);
    },
    () => window.location.hash,
  );
}
