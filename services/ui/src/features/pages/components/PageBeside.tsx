import { CanvasFrame } from "../../../components/CanvasFrame";
import { chatHref, go } from "../../../lib/route";
import type { PagesView } from "../fold/pageList";
import { useThePage } from "./useThePage";

interface Props {
  view: PagesView | null;
  agentId: string;
  name: string;
  sessionId: string;
}

/** What a page says is said in the chat beside it. */
const nothingNew = () => {};

/** A page of the agent in the canvas beside a chat. */
export function PageBeside({ view, agentId, name, sessionId }: Props) {
  const back = chatHref(sessionId);
  const { shown, again } = useThePage({ view, agentId, name, sessionId, onNew: nothingNew, back });
  return (
    <CanvasFrame title={name} tools={again} onClose={() => go(back)}>
      {shown}
    </CanvasFrame>
  );
}
