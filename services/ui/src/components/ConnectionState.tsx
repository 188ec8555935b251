import type { Connection } from "../lib/live/stream";

const WORDS: Record<Connection, string> = {
  connecting: "Connecting…",
  live: "Live",
  interrupted: "Reconnecting…",
  paused: "Paused",
  refused: "Disconnected",
};

/** How the live stream is doing. Quiet while all is well. */
export function ConnectionState({ connection }: { connection: Connection }) {
  return (
    <span
      className={`connection connection-${connection}`}
      role="status"
      title={`Live updates: ${WORDS[connection]}`}
    >
      <span className="connection-dot" aria-hidden="true" />
      <span className={connection === "live" ? "visually-hidden" : "connection-words"}>
        {WORDS[connection]}
      </span>
    </span>
  );
}
