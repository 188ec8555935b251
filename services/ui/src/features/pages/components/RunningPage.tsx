import { useCallback, useState } from "react";
import type { PageError } from "../../../lib/pageMessages";
import type { Page, Said } from "../api/requests";
import { report } from "../fold/source";
import { ErrorReport } from "./ErrorReport";
import { Notices } from "./Notices";
import { PageFrame } from "./PageFrame";
import { useAsking } from "./useAsking";
import { useSaying } from "./useSaying";
import "../pages.css";

/** A page of which nothing was heard for so long (ms) is said not to answer. */
const SILENT_MS = 9_000;

interface Props {
  agentId: string;
  page: Page;
  sessionId: string | null;
  onNew: (session: Said) => void;
  onRestart: () => void;
  /** The event as of which it is looked at: nothing that it does has an effect. */
  past?: string | null;
  /** Takes the answer to the call that waits for it. */
  onAct?: ((action: string, payload: Record<string, unknown>) => void) | undefined;
}

/** A component in its frame, and above it what the shell has to say about it. */
export function RunningPage({ agentId, page, sessionId, onNew, onRestart, past = null, onAct }: Props) {
  const [rendered, setRendered] = useState(false);
  const [stopped, setStopped] = useState<string | null>(null);
  const [silent, setSilent] = useState(false);
  const [errors, setErrors] = useState<{ first: PageError; more: number } | null>(null);
  const saying = useSaying(agentId, sessionId, onNew);
  const asking = useAsking();
  const onThrown = useCallback(
    (error: PageError) =>
      setErrors((now) => (now ? { ...now, more: now.more + 1 } : { first: error, more: 0 })),
    [],
  );
  return (
    <>
      <Notices
        saying={saying}
        asking={asking}
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
          onSend={
            past === null
              ? () => void saying.say(report(page, page.code, errors.first)).catch(() => {})
              : null
          }
          onDismiss={() => setErrors(null)}
        />
      )}
      {stopped === null && (
        <PageFrame
          agentId={agentId}
          page={page}
          past={past}
          onRendered={() => setRendered(true)}
          onThrown={onThrown}
          onOutlaw={setStopped}
          onSilence={(ms) => setSilent(ms > SILENT_MS)}
          onSay={saying.fromPage}
          onAsk={asking.ask}
          onShare={asking.share}
          onAct={onAct}
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
