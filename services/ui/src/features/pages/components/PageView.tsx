import { useCallback, useState } from "react";
import { Icon } from "../../../components/Icon";
import { PageLayout } from "../../../components/PageLayout";
import type { PageError } from "../../../lib/pageMessages";
import { chatHref, NEW_CHAT } from "../../../lib/route";
import type { Page, Said } from "../api/requests";
import type { PagesView } from "../fold/pageList";
import { report } from "../fold/source";
import { ErrorReport } from "./ErrorReport";
import { Notices } from "./Notices";
import { PageFrame } from "./PageFrame";
import { usePage } from "./usePage";
import { useSaying } from "./useSaying";
import "../pages.css";

/** A page of which nothing was heard for so long (ms) is said not to answer. */
const SILENT_MS = 9_000;

interface Props {
  view: PagesView | null;
  agentId: string;
  name: string;
  /** The chat that the page speaks into; null: it begins one. */
  sessionId: string | null;
  /** A chat was begun from here. */
  onNew: (session: Said) => void;
}

/** A page of the agent, as a tab beside the chat. */
export function PageView({ view, agentId, name, sessionId, onNew }: Props) {
  const entry = view?.pages[name];
  const { page, problem } = usePage(agentId, name, entry?.sequence);
  const gone = view?.loaded && !entry;
  // Another number is another frame: the page starts from the beginning.
  const [start, setStart] = useState(0);
  return (
    <PageLayout
      label={`Page ${name}`}
      heading={name}
      className="page-view"
      tools={
        page &&
        !gone && (
          <button
            type="button"
            className="btn btn-link btn-icon"
            aria-label="Start the page again"
            title="Start the page again"
            onClick={() => setStart(start + 1)}
          >
            <Icon name="retry" />
          </button>
        )
      }
    >
      {gone && (
        <p className="page-gone">
          This page doesn't exist, or it was deleted.{" "}
          <a href={sessionId ? chatHref(sessionId) : NEW_CHAT}>Back to the chat</a>
        </p>
      )}
      {problem && !gone && (
        <p className="page-gone" role="alert">
          {problem}
        </p>
      )}
      {page && !gone && (
        <RunningPage
          key={`${page.sequence} ${start}`}
          {...{ agentId, page, sessionId, onNew }}
          onRestart={() => setStart(start + 1)}
        />
      )}
    </PageLayout>
  );
}

interface RunningProps {
  agentId: string;
  page: Page;
  sessionId: string | null;
  onNew: (session: Said) => void;
  onRestart: () => void;
}

function RunningPage({ agentId, page, sessionId, onNew, onRestart }: RunningProps) {
  const [rendered, setRendered] = useState(false);
  const [stopped, setStopped] = useState<string | null>(null);
  const [silent, setSilent] = useState(false);
  const [errors, setErrors] = useState<{ first: PageError; more: number } | null>(null);
  const saying = useSaying(agentId, sessionId, onNew);
  const onThrown = useCallback(
    (error: PageError) =>
      setErrors((now) => (now ? { ...now, more: now.more + 1 } : { first: error, more: 0 })),
    [],
  );
  return (
    <>
      <Notices
        saying={saying}
        silent={silent && stopped === null}
        stopped={stopped}
        onStop={() => setStopped("You stopped it.")}
        onRestart={onRestart}
      />
      {errors && (
        <ErrorReport
          key={errors.first.stack}
          error={errors.first}
          more={errors.more}
          code={page.code}
          onSend={() => void saying.say(report(page, page.code, errors.first)).catch(() => {})}
          onDismiss={() => setErrors(null)}
        />
      )}
      {stopped === null && (
        <PageFrame
          agentId={agentId}
          page={page}
          onRendered={() => setRendered(true)}
          onThrown={onThrown}
          onOutlaw={setStopped}
          onSilence={(ms) => setSilent(ms > SILENT_MS)}
          onSay={saying.fromPage}
        />
      )}
      {!rendered && !errors && stopped === null && (
        <div className="page-starting" role="status">
          Starting the page …
        </div>
      )}
    </>
  );
}
