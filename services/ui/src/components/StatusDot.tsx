import type { SessionStatus } from "../lib/wire";

const WORDS: Record<SessionStatus, string> = {
  idle: "Idle",
  running: "Working",
  waiting_for_input: "Waiting for your answer",
  token_limit_reached: "Token limit reached",
  completed: "Archived",
  error: "Ended with an error",
};

/** A session's status in words. */
export function statusWords(status: SessionStatus): string {
  return WORDS[status];
}

/** A coloured dot for a session's status, said in words too. */
export function StatusDot({ status }: { status: SessionStatus }) {
  return (
    <span className={`status-dot status-${status}`} title={WORDS[status]}>
      <span className="visually-hidden">{WORDS[status]}</span>
    </span>
  );
}
