import { useCallback, useEffect, useId, useState } from "react";
import { PageLayout } from "../../../components/PageLayout";
import { Reading } from "../../../components/Reading";
import { type Read, useRead } from "../../../lib/hooks/useRead";
import { useLatest } from "../../../lib/live/useLatest";
import type { Rewinding } from "../../../lib/rewinding";
import { studioHref } from "../../../lib/route";
import type { BisectionShown } from "../../../lib/wire";
import { readBisection } from "../api/requests";
import { isAtWork } from "../fold/bisection";
import { AgentRewinds } from "./AgentRewinds";
import { BisectForm } from "./BisectForm";
import { Found } from "./Found";
import "../past.css";

/** The past of a whole agent: back to a moment, and which event broke it. */
export function PastPage({ agentId, rewinding }: { agentId: string; rewinding: Rewinding }) {
  const { read, again } = useBisection(agentId);
  const id = useId();
  return (
    <PageLayout
      label="The agent's past"
      heading="The agent's past"
      className="past-main"
      tools={<a href={studioHref(agentId)}>Studio</a>}
    >
      <div className="past">
        <section aria-labelledby={`${id}-bisect`}>
          <h2 className="fs-5" id={`${id}-bisect`}>
            Find what broke it
          </h2>
          <Reading read={read}>
            {({ found }) => (
              <>
                {found && <Found agentId={agentId} found={found} rewinding={rewinding} onChange={again} />}
                {!isAtWork(found) && <BisectForm agentId={agentId} again={found !== null} onBegun={again} />}
              </>
            )}
          </Reading>
        </section>
        <AgentRewinds agentId={agentId} rewinding={rewinding} />
      </div>
    </PageLayout>
  );
}

/** How often it is asked how far it is. */
const PAUSE_MS = 1_000;

interface Bisecting {
  read: Read<{ found: BisectionShown | null }>;
  /** Read it anew: somebody began or stopped one. */
  again: () => void;
}

/** The agent's newest bisection, followed while it is at work, whoever began it. */
function useBisection(agentId: string): Bisecting {
  const [reads, setReads] = useState(0);
  const latest = useLatest(agentId, "bisection");
  const read = useRead(
    useCallback(async (signal) => ({ found: await readBisection(agentId, signal) }), [agentId]),
    `${reads} ${latest}`,
  );
  const again = useCallback(() => setReads((count) => count + 1), []);
  const { value } = read;
  const works = value !== null && isAtWork(value.found);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer asks for the next
  useEffect(() => {
    if (!works) return;
    const timer = setTimeout(again, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [works, value, again]);
  return { read, again };
}
