import { Icon } from "../../../../components/Icon";
import { address } from "../../../../lib/api";
import { chatHref, historyHref } from "../../../../lib/route";
import type { Version } from "../../../../lib/wire";
import { clockTime, dayWords, fullTime } from "../../../../lib/words";
import { by } from "../../fold/words";

interface Props {
  agentId: string;
  version: Version;
  titleOf: (sessionId: string) => string | null;
}

/** Who made a version and when, and the ways to where that was: the chat, the call, the event. */
export function Author({ agentId, version, titleOf }: Props) {
  const { time, actor, session_id: sessionId, causation, sequence } = version;
  return (
    <span className="studio-author">
      by {by(actor)}
      {sessionId && (
        <>
          {" in "}
          <a href={chatHref(sessionId)}>{titleOf(sessionId) ?? "a chat"}</a>
        </>
      )}
      ,{" "}
      <time dateTime={time} title={fullTime(time)}>{`${dayWords(time, new Date())} ${clockTime(time)}`}</time>
      {sessionId && (
        <>
          {" · "}
          <a href={historyHref(sessionId, causation ?? sequence)}>
            the call<span className="visually-hidden"> of event {sequence}</span>
          </a>
        </>
      )}
      {" · "}
      <a href={address(`/agents/${agentId}/events/${sequence}`)} target="_blank" rel="noreferrer">
        raw event<span className="visually-hidden"> {sequence}</span> <Icon name="external" size={12} />
      </a>
    </span>
  );
}
