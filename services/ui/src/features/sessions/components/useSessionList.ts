import { useEffect, useState, useSyncExternalStore } from "react";
import { type ListState, type OpenSessionList, openSessionList } from "../api/openSessionList";

const nothing = () => () => {};
const none = () => null;

/** Keeps the session list open while the shell is shown. */
export function useSessionList(): { list: OpenSessionList; state: ListState } | null {
  const [list, setList] = useState<OpenSessionList | null>(null);
  useEffect(() => {
    const opened = openSessionList();
    setList(opened);
    return () => opened.close();
  }, []);
  const state = useSyncExternalStore<ListState | null>(list?.subscribe ?? nothing, list?.get ?? none);
  return list && state ? { list, state } : null;
}
