import { type KeyboardEvent, useCallback, useRef, useState } from "react";
import { Icon } from "../../../components/Icon";
import { Reading } from "../../../components/Reading";
import { useRead } from "../../../lib/hooks/useRead";
import type { Rewinding } from "../../../lib/rewinding";
import { historyHref } from "../../../lib/route";
import type { Draw } from "../../../lib/shown";
import type { AgentMoment, Session, TimelineRow } from "../../../lib/wire";
import { readAgent, readState } from "../api/requests";
import { differenceWords, different, differs, kindsOf, type Tab, tabsOf } from "../fold/moment";
import { Conversation } from "./Conversation";
import { DatabaseThen } from "./DatabaseThen";
import { EventCard } from "./EventCard";
import { ThingsThen } from "./ThingsThen";
import "../moment.css";
import "../since.css";

interface Props {
  session: Session;
  at: number | null;
  /** What happened there, as far as it is loaded. */
  row: TimelineRow | null;
  /** With another one, what is now is read anew. */
  revision: string;
  rewinding: Rewinding;
  drawBlocks: Draw;
  drawComponent: Draw;
}

/** A session and its agent as of one event, read-only, with what is different now. */
export function Moment({ session, at, row, revision, rewinding, ...draw }: Props) {
  const { id, agent_id: agentId } = session;
  const [view, setView] = useState("chat");
  const when = `${at} ${revision}`;
  const wanted = useRef(at);
  wanted.current = at;
  // Another moment is another revision: what was read is shown until the next has come, and the last one wins.
  const state = useRead(
    useCallback(
      async (signal) => {
        const then = wanted.current;
        return { at: then, state: await readState(id, then, signal) };
      },
      [id],
    ),
    when,
  );
  const agent = useRead(
    useCallback(
      async (signal) => {
        const then = wanted.current;
        return { at: then, moment: await readAgent(agentId, id, then, signal) };
      },
      [agentId, id],
    ),
    when,
  );
  const moment = agent.value?.moment ?? null;
  const tabs = tabsOf(moment);
  const shown = view === "chat" ? state.value : agent.value;
  const old = shown !== null && shown.at !== at;
  return (
    <>
      <a className="moment-close" href={historyHref(id)} aria-label="Close, and back to the list of events">
        <Icon name="cross" size={18} />
      </a>
      <EventCard
        session={session}
        at={at}
        row={row}
        asked={state.value?.at === at ? state.value.state.model_calls : null}
        rewinding={rewinding}
      />
      {at !== null && moment && <SinceThen moment={moment} onChoose={setView} />}
      <div className="moment-body">
        <Tabs tabs={tabs} chosen={view} onChoose={setView} />
        <div
          className={`moment-panel ${old ? "is-old" : ""}`}
          id="moment-panel"
          role="tabpanel"
          aria-labelledby={`tab-${view}`}
          aria-busy={old}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
        >
          {view === "chat" ? (
            <Reading read={state}>
              {({ state: found }) => <Conversation state={found} row={at === null ? null : row} {...draw} />}
            </Reading>
          ) : (
            <Reading read={agent}>
              {({ moment: found, at: then }) => (
                <>
                  {kindsOf(found, view).map((kind) =>
                    kind.kind === "database" ? (
                      <DatabaseThen key="database" agentId={agentId} at={then} differs={kind.changes > 0} />
                    ) : (
                      <ThingsThen
                        key={kind.kind}
                        agentId={agentId}
                        at={then ?? session.last_sequence}
                        now={then === null}
                        kind={kind}
                      />
                    ),
                  )}
                </>
              )}
            </Reading>
          )}
        </div>
      </div>
    </>
  );
}

interface TabsProps {
  tabs: readonly Tab[];
  chosen: string;
  onChoose: (tab: string) => void;
}

function Tabs({ tabs, chosen, onChoose }: TabsProps) {
  function onKey(event: KeyboardEvent<HTMLDivElement>) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const index = tabs.findIndex((tab) => tab.id === chosen);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (!next) return;
    onChoose(next.id);
    event.currentTarget.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  }
  return (
    <div
      className="moment-tabs"
      role="tablist"
      aria-label="As of this event"
      aria-orientation="vertical"
      onKeyDown={onKey}
    >
      {tabs.map((tab) => (
        <button
          type="button"
          key={tab.id}
          role="tab"
          id={`tab-${tab.id}`}
          aria-selected={chosen === tab.id}
          aria-controls="moment-panel"
          tabIndex={chosen === tab.id ? 0 : -1}
          className={`moment-tab ${chosen === tab.id ? "is-chosen" : ""}`}
          onClick={() => onChoose(tab.id)}
        >
          <span>{tab.words}</span>
          {differs(tab) > 0 && (
            <span className="tab-differs" title={differenceWords(tab)}>
              <Icon name="delta" size={9} />
              <span aria-hidden="true">{differs(tab)}</span>
              <span className="visually-hidden">{differenceWords(tab)}</span>
            </span>
          )}
          {tab.count !== null && tab.count > 0 && <span className="tab-count">{tab.count}</span>}
        </button>
      ))}
    </div>
  );
}

interface SinceThenProps {
  moment: AgentMoment;
  onChoose: (tab: string) => void;
}

/** What of the agent is different now, at a glance: each kind leads to its things. */
function SinceThen({ moment, onChoose }: SinceThenProps) {
  const found = different(moment);
  if (found.length === 0) return <p className="since-then">The agent is now as it was then.</p>;
  return (
    <p className="since-then">
      <Icon name="delta" size={10} /> Different now:
      {found.map((tab) => (
        <button
          type="button"
          key={tab.id}
          className="btn btn-sm btn-link"
          title={differenceWords(tab) || "Written to since"}
          onClick={() => onChoose(tab.id)}
        >
          {tab.words}
          {differs(tab) > 1 && ` (${differs(tab)})`}
        </button>
      ))}
    </p>
  );
}
