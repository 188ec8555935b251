import { memo } from "react";
import { StatusDot } from "../../../components/StatusDot";
import { fullTime } from "../../../lib/words";
import type { ListedSession } from "../fold/view";

interface Props {
  session: ListedSession;
  href: string;
  current: boolean;
  onGo: () => void;
}

/** One chat in the list. */
export const SessionRow = memo(function SessionRow({ session, href, current, onGo }: Props) {
  return (
    <a
      className={`session-row ${current ? "is-current" : ""}`}
      href={href}
      aria-current={current ? "page" : undefined}
      title={`${session.title ?? "New chat"}\n${fullTime(session.active_at)}`}
      onClick={onGo}
    >
      <StatusDot status={session.status} failed={Boolean(session.failed_turn)} />
      <span className="session-title">{session.title ?? "New chat"}</span>
      {session.status === "waiting_for_input" && (
        <span className="badge rounded-pill attention" aria-hidden="true">
          ?
        </span>
      )}
    </a>
  );
});
