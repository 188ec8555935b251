/**
 * The events of what agents have (their state, their pages). They come with the stream of all sessions, which the
 * list of chats keeps open: a stream of one's own would take one of the six connections that browsers allow a server.
 */
import type { LogEvent } from "./wire";

export type EntityEvent = Extract<LogEvent, { type: `foldline.agent.entity_${string}` }>;

type Listener = (event: EntityEvent) => void;
const listeners = new Set<Listener>();

/** Hand on an event of the log, if it is one of these. */
export function announceAgentEvent(event: LogEvent): void {
  if (!isEntityEvent(event)) return;
  for (const listener of listeners) listener(event);
}

/** Calls `listener` with each; returns the way to stop. An event may come twice, and after a newer read. */
export function onAgentEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function isEntityEvent(event: LogEvent): event is EntityEvent {
  return (
    event.type === "foldline.agent.entity_written.v1" || event.type === "foldline.agent.entity_deleted.v1"
  );
}
