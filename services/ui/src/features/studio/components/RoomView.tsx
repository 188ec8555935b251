import { useLatest } from "../../../lib/live/useLatest";
import type { StudioState } from "../api/openStudio";
import type { Room } from "../fold/sections";
import { Database } from "./database/Database";
import { Files } from "./files/Files";
import { McpRoom } from "./mcp/McpRoom";
import { Letters } from "./operating/Letters";
import { Outcomes } from "./operating/Outcomes";
import { Workers } from "./operating/Workers";
import { DelegatesRoom } from "./packs/DelegatesRoom";
import { PacksRoom } from "./packs/PacksRoom";
import { SettingsRoom } from "./settings/SettingsRoom";
import { Schedules } from "./times/Schedules";
import { Commands } from "./trust/Commands";
import { Egress } from "./trust/Egress";
import { OwnChanges } from "./trust/OwnChanges";
import { PolicyRoom } from "./trust/PolicyRoom";

interface Props {
  agentId: string;
  room: Exclude<Room, "agents">;
  /** What is chosen in the room. */
  name: string | null;
  shown: string | null;
  state: StudioState;
  titleOf: (sessionId: string) => string | null;
}

/** The reserved agent that has the settings of all agents. */
const INSTALLATION = "_system";

/** A room of its own: what is no list of things that the agent made. */
export function RoomView({ agentId, room, name, shown, state: { reads, view }, titleOf }: Props) {
  const ofAll = useLatest(INSTALLATION, "setting");
  const policies = useLatest(agentId, "policy");
  const servers = useLatest(agentId, "mcp_server");
  switch (room) {
    case "files":
      return <Files agentId={agentId} fileId={name} revision={`${reads} ${view.files}`} titleOf={titleOf} />;
    case "database":
      return (
        <Database
          agentId={agentId}
          table={shown === null ? name : null}
          revision={`${reads} ${view.database}`}
        />
      );
    case "schedules":
      return (
        <Schedules
          agentId={agentId}
          scheduleId={name}
          revision={`${reads} ${view.times} ${view.settings} ${ofAll}`}
          titleOf={titleOf}
        />
      );
    case "settings":
      return <SettingsRoom agentId={agentId} revision={`${reads} ${view.settings} ${ofAll}`} />;
    case "policy":
      return <PolicyRoom agentId={agentId} revision={`${reads} ${policies}`} />;
    case "packs":
      return <PacksRoom agentId={agentId} revision={`${reads} ${view.settings}`} />;
    case "delegates":
      return <DelegatesRoom agentId={agentId} revision={`${reads} ${view.settings}`} />;
    case "mcp":
      return <McpRoom agentId={agentId} revision={`${reads} ${servers}`} />;
    case "changes":
      return <OwnChanges agentId={agentId} titleOf={titleOf} />;
    case "egress":
      return <Egress agentId={agentId} titleOf={titleOf} />;
    case "commands":
      return <Commands agentId={agentId} titleOf={titleOf} />;
    case "outcomes":
      return <Outcomes agentId={agentId} titleOf={titleOf} />;
    case "letters":
      return <Letters agentId={agentId} number={name} titleOf={titleOf} />;
    case "runners":
      return <Workers titleOf={titleOf} />;
  }
}
