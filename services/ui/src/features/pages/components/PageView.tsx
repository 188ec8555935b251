import { PageLayout } from "../../../components/PageLayout";
import { NEW_CHAT } from "../../../lib/route";
import type { Said } from "../api/requests";
import type { PagesView } from "../fold/pageList";
import { useThePage } from "./useThePage";

interface Props {
  view: PagesView | null;
  agentId: string;
  name: string;
  /** A chat was begun from here. */
  onNew: (session: Said) => void;
}

/** A page of the agent where there is no chat to have it beside: it has all the room. */
export function PageView({ view, agentId, name, onNew }: Props) {
  const { shown, again } = useThePage({ view, agentId, name, sessionId: null, onNew, back: NEW_CHAT });
  return (
    <PageLayout label={`Page ${name}`} heading={name} className="page-view" tools={again}>
      {shown}
    </PageLayout>
  );
}
