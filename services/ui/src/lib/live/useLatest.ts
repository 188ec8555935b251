import { useEffect, useState } from "react";
import { type EntityEvent, isEntityEvent } from "../wire";
import { live } from "./live";

/** A hidden page goes without live events after this long (ms). */
const HIDDEN_MS = 5_000;

/**
 * Another text whenever one of an agent's things of these kinds is written or deleted, and whenever the connection
 * is made anew: what was read is read again then.
 */
export function useLatest(agentId: string, ...kinds: EntityEvent["body"]["kind"][]): string {
  const [state, setState] = useState({ event: 0, connections: 0 });
  const wanted = kinds.join(" ");
  useEffect(() => {
    const subscription = live.subscribe(
      { agentId, whenHidden: HIDDEN_MS },
      {
        onEvent(event) {
          if (isEntityEvent(event) && wanted.split(" ").includes(event.body.kind))
            setState((now) => ({ ...now, event: event.sequence }));
        },
        onConnection(connection) {
          if (connection === "live") setState((now) => ({ ...now, connections: now.connections + 1 }));
        },
      },
    );
    subscription.followOn();
    return () => subscription.close();
  }, [agentId, wanted]);
  return `${state.connections} ${state.event}`;
}
