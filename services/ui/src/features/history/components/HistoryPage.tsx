import { useCallback, useState } from "react";
import { Icon } from "../../../components/Icon";
import { PageLayout } from "../../../components/PageLayout";
import { Reading } from "../../../components/Reading";
import type { Rewinding } from "../../../lib/rewinding";
import { chatHref } from "../../../lib/route";
import { useRead } from "../../../lib/useRead";
import type { TimelineGroup } from "../../../lib/wire";
import { readSession } from "../api/requests";
import { EventList } from "./EventList";
import { Moment } from "./Moment";
import { useTimeline } from "./useTimeline";
import "../history.css";

interface Props {
  sessionId: string;
  /** The event to show the session as of; null: none is chosen yet. */
  at: number | null;
  rewinding: Rewinding;
}

/** A session's events, and the session as of one of them. */
export function HistoryPage({ sessionId, at, rewinding }: Props) {
  const session = useRead(useCallback((signal) => readSession(sessionId, signal), [sessionId]));
  const [group, setGroup] = useState<TimelineGroup | null>(null);
  const timeline = useTimeline(sessionId, group);
  return (
    <PageLayout
      label="History"
      className={`history ${at === null ? "" : "has-moment"}`}
      heading={
        <h1 className="title">
          History<span className="history-of">: {session.value?.title ?? "…"}</span>
        </h1>
      }
      tools={
        <a className="btn btn-sm btn-outline-secondary" href={chatHref(sessionId)}>
          Back to the chat
        </a>
      }
    >
      <EventList sessionId={sessionId} timeline={timeline} group={group} onGroup={setGroup} chosen={at} />
      <div className="moment">
        {at === null ? (
          <p className="chat-centre text-body-secondary">
            <Icon name="rewind" size={28} />
            <br />
            Choose an event to see the chat, the prompt, the state and the tools as they were then.
          </p>
        ) : (
          <Reading read={session}>
            {(found) => <Moment session={found} at={at} list={timeline.list} rewinding={rewinding} />}
          </Reading>
        )}
      </div>
    </PageLayout>
  );
}
