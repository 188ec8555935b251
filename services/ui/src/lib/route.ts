/** Where the user is, in the address's fragment: works behind any static file server and survives a reload. */
import { useSyncExternalStore } from "react";

export type Route =
  | { page: "new" }
  | { page: "chat"; sessionId: string }
  /** A session's events, and the session as of one of them (null: none is chosen). */
  | { page: "history"; sessionId: string; at: number | null };

const SESSION = /^#\/s\/([A-Za-z0-9_-]{1,64})(?:\/(history)(?:\/([1-9]\d{0,14}))?)?$/;

/** Read a fragment such as `#/s/s_01jd3` or `#/s/s_01jd3/history/42`; anything else is the new chat. */
export function parseRoute(hash: string): Route {
  const [, sessionId, history, at] = SESSION.exec(hash) ?? [];
  if (!sessionId) return { page: "new" };
  return history ? { page: "history", sessionId, at: at ? Number(at) : null } : { page: "chat", sessionId };
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
