import { Command } from "cmdk";
import { useContext, useDeferredValue, useMemo, useState } from "react";
import Modal from "react-bootstrap/Modal";
import { Icon } from "../../../components/Icon";
import { address } from "../../../lib/api";
import { AskToDelete } from "../../../lib/deleting";
import { canFindInChat, findInChat } from "../../../lib/finding";
import { useAction } from "../../../lib/hooks/useAction";
import { useColourMode } from "../../../lib/hooks/useColourMode";
import { useRead } from "../../../lib/hooks/useRead";
import { messageOf } from "../../../lib/problems";
import type { Rewinding } from "../../../lib/rewinding";
import {
  ATTENTION,
  chatHref,
  go,
  historyHref,
  NEW_CHAT,
  NOTIFICATIONS,
  pageHref,
  studioHref,
  traceHref,
} from "../../../lib/route";
import type { Session } from "../../../lib/wire";
import { archive, readAgents, reopen, retry, search, stop } from "../api/requests";
import { actionsOf, coloursTo, type Group, type Command as Offered, sessionsTo } from "../fold/commands";
import { WORDS } from "../fold/words";
import "../palette.css";

/** Chats that are offered: before anything is typed, and after. */
const RECENT = 6;
const FITTING = 20;
const NONE = { typed: "", found: [] };

export interface PaletteProps {
  /** Those that are known, the most recent first. */
  sessions: readonly Session[];
  /** The one in sight. */
  session: Session | null;
  agentId: string;
  /** The agent's pages, by name. */
  pages: readonly string[];
  /** The studio's rooms: their addresses' names, and what they are called. */
  rooms: readonly { section: string; title: string; also: readonly string[] }[];
  rewinding: Rewinding;
  onClose: () => void;
  onSheet: () => void;
}

/** Go anywhere, do anything: by its first letters. */
export function Palette(props: PaletteProps) {
  const [typed, setTyped] = useState("");
  const action = useAction();
  const groups = useGroups(props, typed);
  const { onClose } = props;

  function choose(chosen: Offered) {
    if ("ask" in chosen) return action.run(chosen.ask, onClose);
    chosen.run();
    onClose();
  }

  return (
    <Modal show onHide={onClose} animation={false} className="palette" aria-label={WORDS.name}>
      <Command label={WORDS.name} loop>
        <div className="palette-ask">
          <Icon name="search" size={16} />
          <Command.Input
            value={typed}
            onValueChange={setTyped}
            placeholder={WORDS.ask}
            aria-label={WORDS.ask}
            autoFocus
          />
        </div>
        {action.failure !== null && (
          <p className="palette-note text-danger-emphasis" role="alert">
            {messageOf(action.failure)}
          </p>
        )}
        {action.working && (
          <p className="palette-note" role="status">
            {WORDS.working}
          </p>
        )}
        <Command.List tabIndex={-1}>
          <Command.Empty>{WORDS.nothing}</Command.Empty>
          {groups.map(({ heading, commands }) => (
            <Command.Group key={heading} heading={heading}>
              {commands.map((one) => (
                <Command.Item
                  key={one.id}
                  value={`${one.words} ${one.id}`}
                  keywords={one.found ?? []}
                  disabled={action.working}
                  onSelect={() => choose(one)}
                >
                  <Icon name={one.icon} size={16} />
                  <span className="palette-words">{one.words}</span>
                  {one.detail && <span className="palette-detail">{one.detail}</span>}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Modal>
  );
}

/** All that is offered, in groups. */
function useGroups(props: PaletteProps, typed: string): Group[] {
  const { sessions, session, agentId, pages, rooms, rewinding, onSheet } = props;
  const askToDelete = useContext(AskToDelete);
  const [colours, choose] = useColourMode();
  const asked = useDeferredValue(typed.trim());
  const reading = useMemo(
    () => async (signal: AbortSignal) =>
      asked === "" ? NONE : { typed: asked, found: await soonest(asked, signal) },
    [asked],
  );
  const found = useRead(reading).value;
  const agents = useRead(readAgents).value;
  const to = (id: string, words: string, icon: Offered["icon"], href: string): Offered => ({
    id,
    words,
    icon,
    run: () => go(href),
  });
  const here = session
    ? actionsOf(session, {
        stop: () => stop(session.id),
        retry: () => retry(session.id),
        archive: () => archive(session.id),
        reopen: () => reopen(session.id),
        // The dialog takes the place of the palette.
        erase: () => queueMicrotask(() => askToDelete([session])),
        find: canFindInChat() ? findInChat : null,
        fork: () => rewinding.fork({ sessionId: session.id, at: session.last_sequence }, ""),
        rewind: () => go(historyHref(session.id)),
        trace: () => go(traceHref(session.id)),
        exported: () => window.location.assign(address(`/sessions/${session.id}/export`)),
      })
    : [];
  const groups: Group[] = [
    { heading: WORDS.here, commands: here },
    {
      heading: WORDS.general,
      commands: [
        to("new", WORDS.created, "plus", NEW_CHAT),
        to("inbox", WORDS.inbox, "inbox", ATTENTION),
        to("notifications", WORDS.notifications, "bell", NOTIFICATIONS),
        ...coloursTo(colours, choose),
        // It takes the place of the palette, so the palette must not close it.
        {
          id: "shortcuts",
          words: WORDS.shortcuts,
          icon: "question",
          found: ["keys", "help"],
          run: () => queueMicrotask(onSheet),
        },
      ],
    },
    {
      heading: WORDS.chats,
      commands: sessionsTo(
        sessions,
        { typed, found: found?.found ?? [] },
        (id) => go(chatHref(id)),
        typed ? FITTING : RECENT,
      ),
    },
    {
      heading: WORDS.pages,
      commands: pages.map((name) => to(`page ${name}`, name, "canvas", pageHref(agentId, name, null))),
    },
    {
      heading: WORDS.rooms,
      commands: rooms.map(({ section, title, also }) => ({
        ...to(`studio ${section}`, title, "studio", studioHref(agentId, section)),
        found: [...also],
      })),
    },
    {
      heading: WORDS.agents,
      commands: (agents ?? []).map(({ id, name }) => to(`agent ${id}`, name, "person", studioHref(id))),
    },
  ];
  return groups.filter(({ commands }) => commands.length > 0);
}

const PAUSE_MS = 200;

/** Searches when nobody has typed on for a moment. */
async function soonest(text: string, signal: AbortSignal): Promise<Session[]> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  return signal.aborted ? [] : search(text, signal);
}
