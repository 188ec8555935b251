import { useEffect, useState, useSyncExternalStore } from "react";
import { type OpenPages, openPages } from "../api/openPages";
import type { PagesView } from "../fold/pageList";

const nothing = () => () => {};
const none = () => null;

/** Follows which pages an agent has. Null until it begins. */
export function useAgentPages(agentId: string): PagesView | null {
  const [pages, setPages] = useState<OpenPages | null>(null);
  useEffect(() => {
    const opened = openPages(agentId);
    setPages(opened);
    return () => opened.close();
  }, [agentId]);
  const view = useSyncExternalStore<PagesView | null>(pages?.subscribe ?? nothing, pages?.get ?? none);
  return view?.agentId === agentId ? view : null;
}
