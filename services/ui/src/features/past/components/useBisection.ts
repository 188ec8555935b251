import { useCallback, useEffect, useState } from "react";
import { type Read, useRead } from "../../../lib/hooks/useRead";
import { useLatest } from "../../../lib/live/useLatest";
import type { BisectionShown } from "../../../lib/wire";
import { readBisection } from "../api/requests";
import { isAtWork } from "../fold/bisection";

/** How often it is asked how far it is. */
const PAUSE_MS = 1_000;

export interface Bisecting {
  read: Read<{ found: BisectionShown | null }>;
  /** Read it anew: somebody began or stopped one. */
  again: () => void;
}

/** The agent's newest bisection, followed while it is at work, whoever began it. */
export function useBisection(agentId: string): Bisecting {
  const [reads, setReads] = useState(0);
  const latest = useLatest(agentId, "bisection");
  const read = useRead(
    useCallback(async (signal) => ({ found: await readBisection(agentId, signal) }), [agentId]),
    `${reads} ${latest}`,
  );
  const again = useCallback(() => setReads((count) => count + 1), []);
  const { value } = read;
  const works = value !== null && isAtWork(value.found);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer asks for the next
  useEffect(() => {
    if (!works) return;
    const timer = setTimeout(again, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [works, value, again]);
  return { read, again };
}
