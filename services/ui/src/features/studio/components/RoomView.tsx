import type { ReactNode } from "react";
import { useLatest } from "../../../lib/live/useLatest";
import type { StudioState } from "../api/openStudio";
import { INSTALLATION } from "../api/things";
import { LISTS } from "../fold/lists";
import type { Shelf } from "../fold/shelves";
import { itemsOf } from "../fold/view";
import type { TitleOf } from "./controls";
import { Database } from "./database/Database";
import { Files } from "./files/Files";
import { McpRoom } from "./mcp/McpRoom";
import { Programs } from "./mcp/Programs";
import { Letters } from "./operating/Letters";
import { Outcomes } from "./operating/Outcomes";
import { OwnChanges } from "./operating/OwnChanges";
import { DoneRecords } from "./operating/Records";
import { Workers } from "./operating/Workers";
import { DelegatesRoom } from "./packs/DelegatesRoom";
import { PacksRoom } from "./packs/PacksRoom";
import { SettingsRoom } from "./settings/SettingsRoom";
import { Schedules } from "./times/Schedules";
import { ChatPartners } from "./trust/ChatPartners";
import { PolicyRoom } from "./trust/PolicyRoom";
import { Secrets, SiteLogins } from "./trust/Secrets";

/** What a page of the studio is given. */
export interface ShelfProps {
  agentId: string;
  shelf: Shelf;
  /** What is chosen there. */
  name: string | null;
  shown: string | null;
  state: StudioState;
  titleOf: TitleOf;
}

interface RoomProps extends Omit<ShelfProps, "shelf"> {
  /** Another one: what the room shows has changed. */
  revision: string;
}

/** The rooms by their sections: what is no list of things that the agent made. */
const ROOMS: Readonly<Record<string, (props: RoomProps) => ReactNode>> = {
  files: ({ name, ...rest }) => <Files fileId={name} {...rest} />,
  database: ({ name, shown, ...rest }) => <Database table={shown === null ? name : null} {...rest} />,
  schedules: ({ name, ...rest }) => <Schedules scheduleId={name} {...rest} />,
  secrets: ({ agentId, state: { view } }) => (
    <div className="studio-scrolls">
      <Secrets agentId={agentId} items={itemsOf(view, "secret")} />
      <SiteLogins agentId={agentId} />
      <ChatPartners agentId={agentId} />
      <Programs agentId={agentId} tools={Object.keys(itemsOf(view, "tool"))} />
    </div>
  ),
  settings: SettingsRoom,
  policy: PolicyRoom,
  packs: PacksRoom,
  delegates: DelegatesRoom,
  mcp: McpRoom,
  changes: OwnChanges,
  outcomes: Outcomes,
  letters: ({ name, ...rest }) => <Letters number={name} {...rest} />,
  runners: Workers,
};

/** A room of its own, read anew with each event about its kind and those that it follows. */
export function RoomView({ shelf: { section, kind }, ...props }: ShelfProps) {
  const { reads, view } = props.state;
  const follows = kind ? [kind.kind, ...(kind.page.follows ?? [])] : ["setting"];
  const ofAll = useLatest(INSTALLATION, "setting");
  const since = follows.map((one) => view.since[one] ?? 0);
  const revision = [reads, ...since, ...(follows.includes("setting") ? [ofAll] : [])].join(" ");
  const list = LISTS[section];
  if (list) return <DoneRecords list={list} {...props} />;
  const Shown = ROOMS[section];
  return Shown ? <Shown revision={revision} {...props} /> : null;
}
