import { useId } from "react";
import { PageLayout } from "../../../components/PageLayout";
import { Reading } from "../../../components/Reading";
import type { Rewinding } from "../../../lib/rewinding";
import { studioHref } from "../../../lib/route";
import { isAtWork } from "../fold/bisection";
import { AgentRewinds } from "./AgentRewinds";
import { BisectForm } from "./BisectForm";
import { Found } from "./Found";
import { useBisection } from "./useBisection";
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
