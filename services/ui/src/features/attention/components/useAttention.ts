import { useEffect, useState, useSyncExternalStore } from "react";
import { type AttentionState, type OpenAttention, openAttention } from "../api/openAttention";

const nothing = () => () => {};
const none = () => null;

export interface Attention {
  open: OpenAttention;
  state: AttentionState;
}

/** Keeps what waits for the person at hand while the shell is shown. */
export function useAttention(): Attention | null {
  const [open, setOpen] = useState<OpenAttention | null>(null);
  useEffect(() => {
    const opened = openAttention();
    setOpen(opened);
    return () => opened.close();
  }, []);
  const state = useSyncExternalStore<AttentionState | null>(open?.subscribe ?? nothing, open?.get ?? none);
  return open && state ? { open, state } : null;
}
