import { useState } from "react";
import { Icon } from "../../../components/Icon";
import type { Said } from "../api/requests";
import type { PagesView } from "../fold/pageList";
import { Origin } from "./Origin";
import { RunningPage } from "./RunningPage";
import { usePage } from "./usePage";

interface Asked {
  view: PagesView | null;
  agentId: string;
  name: string;
  /** The chat that the page speaks into; null: it begins one. */
  sessionId: string | null;
  /** A chat was begun from here. */
  onNew: (session: Said) => void;
  /** Where to go from a page that is gone. */
  back: string;
}

/** A page of the agent, and what can be done with it (how it was made, start it again): for whoever has a place for both. */
export function useThePage({ view, agentId, name, sessionId, onNew, back }: Asked) {
  const entry = view?.pages[name];
  const { page, problem } = usePage(agentId, name, entry?.sequence);
  const gone = view?.loaded && !entry;
  // Another number is another frame: the page starts from the beginning.
  const [start, setStart] = useState(0);
  const again = page && !gone && (
    <>
      <Origin agentId={agentId} page={page} />
      <button
        type="button"
        className="btn btn-link btn-icon"
        aria-label="Start the page again"
        title="Start the page again"
        onClick={() => setStart(start + 1)}
      >
        <Icon name="retry" />
      </button>
    </>
  );
  const shown = gone ? (
    <p className="page-gone">
      This page doesn't exist, or it was deleted. <a href={back}>Back to the chat</a>
    </p>
  ) : problem ? (
    <p className="page-gone" role="alert">
      {problem}
    </p>
  ) : page ? (
    <RunningPage
      key={`${page.sequence} ${start}`}
      {...{ agentId, page, sessionId, onNew }}
      onRestart={() => setStart(start + 1)}
    />
  ) : null;
  return { shown, again };
}
