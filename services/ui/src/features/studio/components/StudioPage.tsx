import { Fragment, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { ConnectionState } from "../../../components/ConnectionState";
import { Icon } from "../../../components/Icon";
import { PageLayout } from "../../../components/PageLayout";
import { useRead } from "../../../lib/hooks/useRead";
import { go, type PATHS, type Parts, pastHref, studioHref } from "../../../lib/route";
import { count } from "../../../lib/words";
import { type OpenStudio, openStudio, type StudioState } from "../api/openStudio";
import { readAgents } from "../api/operating";
import { shelfNamed, shelves } from "../fold/shelves";
import { itemsOf, type StudioView, told } from "../fold/view";
import { AgentsRoom } from "./agents/AgentsRoom";
import { Press, Select, type TitleOf } from "./controls";
import { RoomView, type ShelfProps } from "./RoomView";
import { CostTable, SpaceTable, UsageLine } from "./settings/Costs";
import { ListSection } from "./things/ListSection";
import { ThingView } from "./things/ThingView";
import "../studio.css";
import "../rooms.css";
import "../things.css";
import "../forms.css";

interface Props {
  route: Parts<typeof PATHS.studio>;
  titleOf: TitleOf;
}

/** What an agent made for itself and what it was given: to read, compare, undo and change. */
export function StudioPage({ route, titleOf }: Props) {
  const { agentId } = route;
  const shelf = shelfNamed(route.section);
  const { section } = shelf;
  const opened = useStudio(agentId);
  const loaded = opened?.state.loaded === true;
  const view = opened?.state.view ?? null;
  return (
    <PageLayout
      label="Studio"
      heading="Studio"
      className="studio"
      tools={
        <>
          <AgentChoice agentId={agentId} section={section} />
          <a
            className="btn btn-link btn-icon"
            href={pastHref(agentId)}
            aria-label="The agent's past: rewind it, or find what broke it"
            title="The agent's past"
          >
            <Icon name="rewind" size={18} />
          </a>
          {opened && <ConnectionState connection={opened.state.connection} />}
        </>
      }
      rooms={<SectionNav agentId={agentId} section={section} view={loaded ? view : null} />}
    >
      <div className="visually-hidden" role="status" aria-live="polite">
        {told(view?.latest ?? null)}
      </div>
      {opened?.state.failure && (
        <div className="alert alert-danger studio-notice" role="alert">
          {opened.state.failure}{" "}
          <Press look="btn-outline-danger" onPress={opened.studio.reload}>
            Try again
          </Press>
        </div>
      )}
      {!loaded && !opened?.state.failure && (
        <p className="loading studio-notice text-body-secondary" role="status">
          Loading…
        </p>
      )}
      {section === "agents" && <AgentsRoom agentId={agentId} />}
      {loaded && section !== "agents" && (
        <ShelfView
          key={`${agentId} ${section}`}
          {...{ agentId, shelf, titleOf, name: route.name, shown: route.view, state: opened.state }}
        />
      )}
      <footer className="studio-foot">
        <UsageLine agentId={agentId} />
        <CostTable agentId={agentId} />
        <SpaceTable agentId={agentId} />
      </footer>
    </PageLayout>
  );
}

/** A page of the studio: the things of a kind by name, the agent's only one, or a room of its own. */
function ShelfView({ shelf, ...props }: ShelfProps) {
  const { agentId, name, shown, state, titleOf } = props;
  const { kind } = shelf;
  if (kind?.page.form === "list") return <ListSection kind={kind} {...props} />;
  if (kind?.page.form === "text")
    return (
      <ThingView place={{ agentId, kind, name: kind.kind }} shown={shown ?? name} {...{ state, titleOf }} />
    );
  return <RoomView shelf={shelf} {...props} />;
}

const nothing = () => () => {};
const none = () => null;

/** Keeps what an agent has open while it is shown. */
function useStudio(agentId: string): { studio: OpenStudio; state: StudioState } | null {
  const [studio, setStudio] = useState<OpenStudio | null>(null);
  useEffect(() => {
    const opened = openStudio(agentId);
    setStudio(opened);
    return () => opened.close();
  }, [agentId]);
  const state = useSyncExternalStore<StudioState | null>(studio?.subscribe ?? nothing, studio?.get ?? none);
  return studio && state ? { studio, state } : null;
}

/** Whose studio it is; a choice where there are several agents. */
function AgentChoice({ agentId, section }: { agentId: string; section: string }) {
  const agents = useRead(readAgents, agentId).value ?? [];
  const id = useId();
  if (agents.length < 2) return null;
  const known = agents.some((agent) => agent.id === agentId);
  return (
    <div className="studio-agent">
      <label className="visually-hidden" htmlFor={id}>
        Agent
      </label>
      <Select
        id={id}
        value={agentId}
        words={[
          ...(known ? [] : [[agentId, agentId] as const]),
          ...agents.map((agent) => [agent.id, agent.name] as const),
        ]}
        onChoose={(chosen) => go(studioHref(chosen, section))}
      />
    </div>
  );
}

interface NavProps {
  agentId: string;
  section: string;
  /** null: not read yet. */
  view: StudioView | null;
}

/** The sections, and how much there is in each. */
function SectionNav({ agentId, section, view }: NavProps) {
  const chosen = useRef<HTMLAnchorElement>(null);
  const known = view !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another section is another link; counts move links
  useEffect(() => {
    chosen.current?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [section, known]);
  return (
    <nav className="tabs rooms" aria-label="Sections of the studio">
      {shelves().map((one, at, all) => {
        const size = view && one.kind ? Object.keys(itemsOf(view, one.kind.kind)).length : 0;
        return (
          <Fragment key={one.section}>
            {one.head !== all[at - 1]?.head && (
              <span className="room-head" aria-hidden="true">
                {one.head}
              </span>
            )}
            <a
              ref={one.section === section ? chosen : null}
              className="tab room"
              href={studioHref(agentId, one.section)}
              aria-current={one.section === section ? "page" : undefined}
            >
              {one.title}
              {size > 0 && <span className="studio-count">{count(size)}</span>}
            </a>
          </Fragment>
        );
      })}
    </nav>
  );
}
