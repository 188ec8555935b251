import { ConnectionState } from "../../../components/ConnectionState";
import { Icon } from "../../../components/Icon";
import { PageLayout } from "../../../components/PageLayout";
import { type PATHS, type Parts, pastHref } from "../../../lib/route";
import { isSection, isText, shelfNamed } from "../fold/sections";
import { told } from "../fold/words";
import { AgentChoice } from "./agents/AgentChoice";
import { AgentsRoom } from "./agents/AgentsRoom";
import { McpClients } from "./mcp/McpClients";
import { RoomView } from "./RoomView";
import { SectionNav } from "./SectionNav";
import { CostTable } from "./settings/CostTable";
import { UsageLine } from "./settings/UsageLine";
import { ListSection } from "./things/ListSection";
import { ThingView } from "./things/ThingView";
import { Secrets } from "./trust/Secrets";
import { SiteLogins } from "./trust/SiteLogins";
import { useStudio } from "./useStudio";
import "../studio.css";
import "../rooms.css";
import "../things.css";
import "../forms.css";

interface Props {
  route: Parts<typeof PATHS.studio>;
  /** A session's title, as far as it is known. */
  titleOf: (sessionId: string) => string | null;
}

/** What an agent made for itself and what it was given: to read, compare, undo and change. */
export function StudioPage({ route, titleOf }: Props) {
  const { agentId } = route;
  const section = shelfNamed(route.section);
  const opened = useStudio(agentId);
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
      rooms={<SectionNav agentId={agentId} section={section} view={opened?.state.loaded ? view : null} />}
    >
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
      {opened?.state.loaded && isSection(section) && isText(section) && (
        <ThingView
          key={`${agentId} ${section}`}
          place={{ agentId, section, name: section }}
          shown={route.view ?? route.name}
          state={opened.state}
          titleOf={titleOf}
        />
      )}
      {opened?.state.loaded && section === "secrets" && (
        <div className="studio-scrolls">
          <Secrets key={agentId} agentId={agentId} items={opened.state.view.lists.secrets} />
          <SiteLogins key={`${agentId} sites`} agentId={agentId} />
          <McpClients
            key={`${agentId} programs`}
            agentId={agentId}
            tools={Object.keys(opened.state.view.lists.tools)}
          />
        </div>
      )}
      {opened?.state.loaded && !isSection(section) && section !== "agents" && (
        <RoomView
          key={`${agentId} ${section}`}
          agentId={agentId}
          room={section}
          name={route.name}
          shown={route.view}
          state={opened.state}
          titleOf={titleOf}
        />
      )}
      {section === "agents" && <AgentsRoom agentId={agentId} />}
      {opened?.state.loaded && isSection(section) && !isText(section) && section !== "secrets" && (
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
      <footer className="studio-foot">
        <UsageLine agentId={agentId} />
        <CostTable agentId={agentId} />
      </footer>
    </PageLayout>
  );
}
