import { useEffect, useState, useSyncExternalStore } from "react";
import { type OpenChat, openChat } from "../api/openChat";
import { type ChatState, CLOSED_STATE } from "../api/state";

const nothing = () => () => {};
const closed = () => CLOSED_STATE;

/** Keeps one chat open while it is shown. */
export function useOpenChat(
  sessionId: string,
  minSequence?: number,
): { chat: OpenChat | null; state: ChatState } {
  const [chat, setChat] = useState<OpenChat | null>(null);
  useEffect(() => {
    const opened = openChat(sessionId, minSequence);
    setChat(opened);
    return () => opened.close();
  }, [sessionId, minSequence]);
  const state = useSyncExternalStore(chat?.subscribe ?? nothing, chat?.get ?? closed);
  return { chat, state };
}
