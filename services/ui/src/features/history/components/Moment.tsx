import { useCallback, useState } from "react";
import { Icon } from "../../../components/Icon";
import { Reading } from "../../../components/Reading";
import { addressOf } from "../../../lib/address";
import type { Rewinding } from "../../../lib/rewinding";
import { chatHref, historyHref } from "../../../lib/route";
import { useRead } from "../../../lib/useRead";
import type { Session } from "../../../lib/wire";
import { readState } from "../api/requests";
import { type EventList, neighbours } from "../fold/list";
import { happened, modelCallOf } from "../fold/words";
import { Conversation } from "./Conversation";
import { PastFiles } from "./PastFiles";
import { PastPrompt } from "./PastPrompt";
import { PastTools } from "./PastTools";
import { PastValues } from "./PastValues";

const VIEWS = { chat: "Chat", prompt: "Prompt", state: "State", files: "Files", tools: "Tools" } as const;
type View = keyof typeof VIEWS;

interface Props {
  session: Session;
  at: number;
  /** The events around it, as far as they are loaded. */
  list: EventList | null;
  rewinding: Rewinding;
}

/** A session as of one event, read-only: its chat, and what its agent had then. */
export function Moment({ session, at, list, rewinding }: Props) {
  const { id, agent_id: agentId, status } = session;
  const [view, setView] = useState<View>("chat");
  const state = useRead(useCallback((signal) => readState(id, at, signal), [id, at]));
  const place = { sessionId: id, at };
  const event = list?.events.find((one) => one.sequence === at);
  const call = event ? modelCallOf(event) : null;
  const { earlier, later } = list ? neighbours(list, at) : { earlier: null, later: null };
  const closed = status === "completed" || status === "error";
  return (
    <>
      <div className="moment-bar" role="region" aria-label="You look at the past">
        <a className="btn btn-sm btn-link moment-list" href={historyHref(id)}>
          Events
        </a>
        <strong>
          <Icon name="clock" size={15} /> As of event {addressOf(at)}
        </strong>
        {event && <span className="moment-what">{happened(event)}</span>}
        <span className="moment-steps">
          <Step to={earlier} sessionId={id} words="Earlier" />
          <Step to={later} sessionId={id} words="Later" />
        </span>
        <span className="moment-actions">
          <a className="btn btn-sm btn-primary" href={chatHref(id)}>
            Back to now
          </a>
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            onClick={() => rewinding.fork(place, "")}
          >
            Fork here…
          </button>
          {call !== null && (
            <button
              type="button"
              className="btn btn-sm btn-outline-secondary"
              onClick={() => rewinding.seen(id, call)}
            >
              What the model saw
            </button>
          )}
          {!closed && (
            <button
              type="button"
              className="btn btn-sm btn-outline-secondary"
              onClick={() => rewinding.rewind(place)}
            >
              Rewind here…
            </button>
          )}
        </span>
      </div>
      <div className="moment-views" role="tablist" aria-label="As of this event">
        {(Object.keys(VIEWS) as View[]).map((one) => (
          <button
            type="button"
            key={one}
            role="tab"
            id={`tab-${one}`}
            aria-selected={view === one}
            aria-controls="moment-panel"
            className={`moment-tab ${view === one ? "is-chosen" : ""}`}
            onClick={() => setView(one)}
          >
            {VIEWS[one]}
          </button>
        ))}
      </div>
      <div
        className="moment-panel"
        id="moment-panel"
        role="tabpanel"
        aria-labelledby={`tab-${view}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        {view === "chat" && <Reading read={state}>{(found) => <Conversation state={found} />}</Reading>}
        {view === "prompt" && <PastPrompt agentId={agentId} at={at} />}
        {view === "state" && <PastValues agentId={agentId} at={at} />}
        {view === "files" && <PastFiles agentId={agentId} sessionId={id} at={at} />}
        {view === "tools" && (
          <Reading read={state}>{(found) => <PastTools sessionId={id} number={found.model_calls} />}</Reading>
        )}
      </div>
    </>
  );
}

function Step({ to, sessionId, words }: { to: number | null; sessionId: string; words: string }) {
  if (to === null) return null;
  return (
    <a className="btn btn-sm btn-link" href={historyHref(sessionId, to)}>
      {words}
    </a>
  );
}
