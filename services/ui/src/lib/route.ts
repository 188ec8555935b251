/** Where the user is, in the address's fragment: works behind any static file server and survives a reload. */
import { useSyncExternalStore } from "react";

export type Route = { page: "new" } | { page: "chat"; sessionId: string };

/** Read a fragment such as `#/s/s_01jd3`; anything else is the new chat. */
export function parseRoute(hash: string): Route {
  const found = /^#\/s\/([A-Za-z0-9_-]{1,64})$/.exec(hash);
  return found?.[1] ? { page: "chat", sessionId: found[1] } : { page: "new" };
}

export const NEW_CHAT = "#/";

/** The fragment of a session's chat. */
export function chatHref(sessionId: string): string {
  return `#/s/${sessionId}`;
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
