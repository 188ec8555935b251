import type { ReactNode } from "react";
import { ConnectionState } from "../../../components/ConnectionState";
import type { StudioRoute } from "../../../lib/route";
import { isText, sectionNamed } from "../fold/sections";
import { told } from "../fold/words";
import { AgentChoice } from "./AgentChoice";
import { ListSection } from "./ListSection";
import { Secrets } from "./Secrets";
import { SectionNav } from "./SectionNav";
import { ThingView } from "./ThingView";
import { useStudio } from "./useStudio";

interface Props {
  route: StudioRoute;
  before: ReactNode;
  after: ReactNode;
  /** A session's title, as far as it is known. */
  titleOf: (sessionId: string) => string | null;
}

/** What an agent made for itself and what it was given: to read, compare, undo and change. */
export function StudioPage({ route, before, after, titleOf }: Props) {
  const { agentId } = route;
  const section = sectionNamed(route.section);
  const opened = useStudio(agentId);
  const view = opened?.state.view ?? null;
  return (
    <>
      <header className="top-bar">
        {before}
        <h1 className="title">Studio</h1>
        <AgentChoice agentId={agentId} section={section} />
        {opened && <ConnectionState connection={opened.state.connection} />}
        {after}
      </header>
      <SectionNav agentId={agentId} section={section} view={opened?.state.loaded ? view : null} />
      <main className="studio" id="main" tabIndex={-1} aria-label="Studio">
        <div className="visually-hidden" role="status" aria-live="polite">
          {told(view?.latest ?? null)}
        </div>
        {opened?.state.failure && (
          <div className="alert alert-danger studio-notice" role="alert">
            {opened.state.failure}{" "}
            <button type="button" className="btn btn-sm btn-outline-danger" onClick={opened.studio.reload}>
              Try again
            </button>
          </div>
        )}
        {!opened?.state.loaded && !opened?.state.failure && (
          <p className="loading studio-notice text-body-secondary" role="status">
            Loading…
          </p>
        )}
        {opened?.state.loaded && isText(section) && (
          <ThingView
            key={`${agentId} ${section}`}
            place={{ agentId, section, name: section }}
            shown={route.view ?? route.name}
            state={opened.state}
            titleOf={titleOf}
          />
        )}
        {opened?.state.loaded && section === "secrets" && (
          <Secrets key={agentId} agentId={agentId} items={opened.state.view.lists.secrets} />
        )}
        {opened?.state.loaded && !isText(section) && section !== "secrets" && (
          <ListSection
            key={`${agentId} ${section}`}
            agentId={agentId}
            section={section}
            name={route.name}
            shown={route.view}
            state={opened.state}
            titleOf={titleOf}
          />
        )}
      </main>
    </>
  );
}
