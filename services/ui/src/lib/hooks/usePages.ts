import { useState } from "react";

/** Where a list is that is read a page at a time: what its page begins after, null for the newest. */
export interface Pages {
  cursor: string | null;
  newest: boolean;
  newer: () => void;
  older: (cursor: string) => void;
  restart: () => void;
}

/** Begins at the newest page, and knows the way back from an older one. */
export function usePages(): Pages {
  const [turned, setTurned] = useState<readonly string[]>([]);
  return {
    cursor: turned.at(-1) ?? null,
    newest: turned.length === 0,
    newer: () => setTurned(turned.slice(0, -1)),
    older: (cursor) => setTurned([...turned, cursor]),
    restart: () => setTurned([]),
  };
}
