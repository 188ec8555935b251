/** Where the user is, in the address's fragment: works behind any static file server and survives a reload. */
import { useSyncExternalStore } from "react";
import { addressOf } from "./address";

/** The addresses of the pages. `:name` stands for a part of that name, `:name?` for one that may be missing. */
export const PATHS = {
  new: "/",
  chat: "/s/:sessionId",
  /** A session's events, and the session as of one of them. */
  history: "/s/:sessionId/history/:at?",
  /** Exactly what the model saw in a call of a session (its number or id), and one part of it. */
  saw: "/s/:sessionId/saw/:call/:part?",
  /** What led to what in a turn: the one of event `at`, else the newest. */
  trace: "/s/:sessionId/trace/:at?",
  /** A page that an agent made, alone or beside a chat. */
  page: "/pages/:agentId/:page",
  pageBeside: "/s/:sessionId/pages/:agentId/:page",
  /** What an agent has: a section of it, one thing there by name, and a view of that. */
  studio: "/studio/:agentId/:section?/:name?/:view?",
  /** The past of a whole agent: rewinds, and which event broke it. */
  past: "/past/:agentId",
  /** All that waits for the person. */
  attention: "/inbox",
  /** How the person is reached away from the page. */
  notifications: "/notifications",
  /** The design system and every shared component. */
  gallery: "/gallery",
} as const;

export type Path = (typeof PATHS)[keyof typeof PATHS];

/** The parts of an address; null: it is missing. */
export type Parts<Pattern extends string> = Pattern extends `${infer First}/${infer Rest}`
  ? Parts<First> & Parts<Rest>
  : Pattern extends `:${infer Name}?`
    ? { [Key in Name]: string | null }
    : Pattern extends `:${infer Name}`
      ? { [Key in Name]: string }
      : object;

const ID = /^[A-Za-z0-9_-]{1,64}$/;
/** A name of ours: parts of things are named as their fields are, such as `parameter_schema`. */
const WORD = /^[a-z]+(_[a-z]+)*$/;

/** What a part looks like. Names of things may be any text. */
const SHAPES: Record<string, RegExp> = {
  sessionId: ID,
  agentId: ID,
  at: /^[1-9]\d{0,10}(\.(0|[1-9]\d{0,2}))?$/,
  call: /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
  part: /^\d{1,6}$/,
  section: WORD,
  view: WORD,
  name: /./s,
  page: /^[A-Za-z0-9_ -]{1,64}$/,
};

/** The parts of a fragment such as `#/s/s_01jd3`; null: it is not an address of this pattern. */
export function partsOf<Pattern extends Path>(pattern: Pattern, hash: string): Parts<Pattern> | null {
  const wanted = pattern.split("/").slice(1);
  const given = hash.replace(/^#\/?/, "").split("/");
  if (given.length > wanted.length) return null;
  const parts: Record<string, string | null> = {};
  for (const [index, segment] of wanted.entries()) {
    const text = given[index];
    const name = /^:(\w+)\??$/.exec(segment)?.[1];
    if (name === undefined) {
      if (text !== segment) return null;
    } else if (text === undefined) {
      if (!segment.endsWith("?")) return null;
      parts[name] = null;
    } else {
      const value = decoded(text);
      if (value === null || !SHAPES[name]?.test(value)) return null;
      parts[name] = value;
    }
  }
  return parts as Parts<Pattern>;
}

/** The fragment of a page. */
function href(pattern: Path, parts: Record<string, string | number | null | undefined>): string {
  const segments = pattern.split("/").map((segment) => {
    const name = /^:(\w+)\??$/.exec(segment)?.[1];
    if (name === undefined) return segment;
    const value = parts[name] ?? null;
    return value === null ? null : encodeURIComponent(value);
  });
  return `#${segments.filter((segment) => segment !== null).join("/")}`;
}

export const NEW_CHAT = href(PATHS.new, {});
export const ATTENTION = href(PATHS.attention, {});
export const NOTIFICATIONS = href(PATHS.notifications, {});

/** The fragment of a session's chat. */
export function chatHref(sessionId: string): string {
  return href(PATHS.chat, { sessionId });
}

/** The fragment of a session's history, or of the session as of event `at`. */
export function historyHref(sessionId: string, at?: number): string {
  return href(PATHS.history, { sessionId, at: at === undefined ? null : addressOf(at) });
}

/** The fragment of what the model saw in a call, or of one part of it. */
export function sawHref(sessionId: string, call: string | number, part?: number): string {
  return href(PATHS.saw, { sessionId, call, part });
}

/** The fragment of a turn's trace. */
export function traceHref(sessionId: string, at?: number): string {
  return href(PATHS.trace, { sessionId, at: at === undefined ? null : addressOf(at) });
}

/** The fragment of what an agent made, down to a view of one thing. Names may be any text. */
export function studioHref(agentId: string, section?: string, name?: string, view?: string): string {
  return href(PATHS.studio, { agentId, section, name, view });
}

/** The fragment of a whole agent's past. */
export function pastHref(agentId: string): string {
  return href(PATHS.past, { agentId });
}

/** The fragment of an agent's page, beside a chat if there is one. */
export function pageHref(agentId: string, page: string, sessionId: string | null): string {
  return sessionId === null
    ? href(PATHS.page, { agentId, page })
    : href(PATHS.pageBeside, { sessionId, agentId, page });
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

/** Go there in place of where one is: *back* leads past it. */
export function goInstead(href: string): void {
  window.location.replace(href);
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
