/** What the palette offers: places to go to, and what can be done where one is. */
import type { IconName } from "../../../components/Icon";
import type { ColourMode } from "../../../lib/hooks/useColourMode";
import type { Session } from "../../../lib/wire";
import { COLOURS, placeOfSession, titleOf, WORDS } from "./words";

interface Words {
  id: string;
  words: string;
  /** What it is of, in small type. */
  detail?: string;
  icon: IconName;
  /** What it is found by beside its words. */
  found?: string[];
}

/** One either is done at once, or is waited for: what it fails with is said in the palette. */
export type Command = Words & ({ run: () => void } | { ask: () => Promise<unknown> });

export interface Group {
  heading: string;
  commands: Command[];
}

/** What can be done with the session in sight. */
export interface SessionActions {
  stop(): Promise<unknown>;
  retry(): Promise<unknown>;
  archive(): Promise<unknown>;
  reopen(): Promise<unknown>;
  erase(): void;
  /** Null where the chat itself is not in sight. */
  find: (() => void) | null;
  fork(): void;
  rewind(): void;
  trace(): void;
  exported(): void;
}

/** The actions that make sense in the session as it is. */
export function actionsOf(session: Session, actions: SessionActions): Command[] {
  const { status, failed_turn: failed } = session;
  const working = status === "running" || status === "waiting_for_input";
  const closed = status === "completed" || status === "error";
  const offered: (Command | false)[] = [
    working && { id: "stop", words: WORDS.stop, icon: "stop", ask: actions.stop },
    status === "idle" &&
      failed !== null &&
      failed !== undefined && { id: "retry", words: WORDS.retry, icon: "retry", ask: actions.retry },
    actions.find !== null && {
      id: "find",
      words: WORDS.find,
      icon: "search",
      found: ["search", "look for"],
      run: actions.find,
    },
    {
      id: "rewind",
      words: WORDS.rewind,
      icon: "rewind",
      found: ["history", "time machine"],
      run: actions.rewind,
    },
    { id: "fork", words: WORDS.fork, icon: "fork", run: actions.fork },
    { id: "trace", words: WORDS.trace, icon: "clock", run: actions.trace },
    {
      id: "export",
      words: WORDS.exported,
      icon: "download",
      found: ["download", "save"],
      run: actions.exported,
    },
    !closed && {
      id: "archive",
      words: WORDS.archive,
      icon: "archive",
      found: ["close"],
      ask: actions.archive,
    },
    status === "completed" &&
      session.parent_id === null && {
        id: "reopen",
        words: WORDS.reopen,
        icon: "archive",
        ask: actions.reopen,
      },
    session.parent_id === null && {
      id: "delete",
      words: WORDS.erase,
      icon: "trash",
      found: ["erase", "remove"],
      run: actions.erase,
    },
  ];
  return offered.filter((one) => one !== false);
}

/** Sessions to jump to, the most recent first. `also` were found by what was typed, whatever their title is. */
export function sessionsTo(
  sessions: readonly Session[],
  also: { typed: string; found: readonly Session[] },
  open: (id: string) => void,
  most: number,
): Command[] {
  const byText = new Set(also.found.map(({ id }) => id));
  const known = new Set(sessions.map(({ id }) => id));
  const all = [...sessions, ...also.found.filter(({ id }) => !known.has(id))];
  const typed = also.typed.trim().toLowerCase();
  const fits = (one: Session) =>
    !typed || byText.has(one.id) || titleOf(one).toLowerCase().includes(typed) || one.id.startsWith(typed);
  return all
    .filter(fits)
    .slice(0, most)
    .map((one) => ({
      id: `session ${one.id}`,
      words: titleOf(one),
      detail: placeOfSession(one),
      icon: "chat",
      found: byText.has(one.id) ? [one.id, also.typed] : [one.id],
      run: () => open(one.id),
    }));
}

/** The ways to be lit. */
export function coloursTo(current: ColourMode, choose: (mode: ColourMode) => void): Command[] {
  return COLOURS.filter(({ mode }) => mode !== current).map(({ mode, words, icon }) => ({
    id: `colours ${mode}`,
    words,
    icon,
    found: ["theme", "colour", "color", "mode"],
    run: () => choose(mode),
  }));
}
