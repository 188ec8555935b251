import { useEffect, useState, useSyncExternalStore } from "react";
import { type OpenStudio, openStudio, type StudioState } from "../api/openStudio";

const nothing = () => () => {};
const none = () => null;

/** Keeps what an agent has open while it is shown. */
export function useStudio(agentId: string): { studio: OpenStudio; state: StudioState } | null {
  const [studio, setStudio] = useState<OpenStudio | null>(null);
  useEffect(() => {
    const opened = openStudio(agentId);
    setStudio(opened);
    return () => opened.close();
  }, [agentId]);
  const state = useSyncExternalStore<StudioState | null>(studio?.subscribe ?? nothing, studio?.get ?? none);
  return studio && state ? { studio, state } : null;
}
