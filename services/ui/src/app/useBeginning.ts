import { useCallback, useRef, useState } from "react";
import { chatHref, go, NEW_CHAT, pageHref } from "../lib/route";
import type { Begun, Desk } from "./desk";

/** Below this width the list of chats is a drawer. */
const WIDE = "(min-width: 992px)";

/** How pages begin chats: the part of the desk that does not depend on what is known. */
export function useBeginning(): Omit<Desk, "pages" | "attention" | "rewinding" | "titleOf"> {
  const [offered, setOffered] = useState<{ text: string } | null>(null);
  const created = useRef(new Map<string, number>());
  const onCreated = useCallback((session: Begun) => {
    created.current.set(session.id, session.last_sequence);
    setOffered(null);
    go(chatHref(session.id));
  }, []);
  const onSayAgain = useCallback((text: string) => {
    setOffered({ text });
    go(NEW_CHAT);
  }, []);
  const onBegunByPage = useCallback(
    (agentId: string, name: string) => (session: Begun) => {
      created.current.set(session.id, session.last_sequence);
      go(pageHref(agentId, name, session.id));
    },
    [],
  );
  const createdAt = useCallback((id: string) => created.current.get(id), []);
  const autoFocus = window.matchMedia(WIDE).matches;
  return { offered, autoFocus, createdAt, onCreated, onSayAgain, onBegunByPage };
}
