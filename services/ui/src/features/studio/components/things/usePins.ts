import { useCallback, useState } from "react";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { readPinned } from "../../api/requests";
import { pinTools } from "../../api/writes";

/** The tools that are sent to the model with each request, and a way to change which. */
export interface Pins {
  names: readonly string[];
  working: boolean;
  failure: unknown;
  set(names: readonly string[], then?: () => void): void;
}

/** What is pinned of an agent's tools; null until it is read, and where there is no agent. */
export function usePins(agentId: string | null, revision: string): Pins | null {
  const [written, setWritten] = useState(0);
  const read = useCallback(
    async (signal: AbortSignal) => (agentId === null ? null : readPinned(agentId, signal)),
    [agentId],
  );
  const { value } = useRead(read, `${revision} ${written}`);
  const action = useAction();
  if (agentId === null || value === null) return null;
  const { names, version } = value;
  return {
    names,
    working: action.working,
    failure: action.failure,
    set(wanted, then) {
      action.run(
        () => pinTools(agentId, wanted, version),
        () => {
          setWritten((before) => before + 1);
          then?.();
        },
        () => setWritten((before) => before + 1),
      );
    },
  };
}
