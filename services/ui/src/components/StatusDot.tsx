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

interface Props {
  status: SessionStatus;
  /** True if its last turn failed and nothing has come after it. */
  failed?: boolean;
}

/** A coloured dot for a session's status, said in words too; none where nothing goes on and nothing is wrong. */
export function StatusDot({ status, failed = false }: Props) {
  if (!failed && (status === "idle" || status === "completed")) return null;
  const words = failed ? "No answer: open it to see why" : WORDS[status];
  return (
    <span className={`status-dot status-${failed ? "error" : status}`} title={words}>
      <span className="visually-hidden">{words}</span>
    </span>
  );
}
