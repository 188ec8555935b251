import { useId, useState } from "react";
import { Icon } from "../../../../components/Icon";
import { Markdown } from "../../../../components/markdown/Markdown";
import { useAction } from "../../../../lib/hooks/useAction";
import { messageOf } from "../../../../lib/problems";
import type { ToolCall } from "../../../../lib/wire";
import { end } from "../../api/handOver";
import { askedBy, endedAs } from "../../fold/handOver";
import { LiveBrowser } from "./LiveBrowser";
import "../../../../components/questions.css";

/** The agent asks a person to take over its browser: open it, or not. Closed once it ended, here or anywhere. */
export function HandOverCard({ call, sessionId }: { call: ToolCall; sessionId: string }) {
  const [shown, setShown] = useState(false);
  const declining = useAction();
  const id = useId();
  const { reason, instructions } = askedBy(call);
  const open = call.status === "pending";
  const outcome = endedAs(call);
  const which = { sessionId, callId: call.call_id };
  return (
    <article className={`question ${open ? "is-open" : ""}`} aria-labelledby={`${id}-text`}>
      <div className="question-head">
        <Icon name="external" size={18} />
        <div id={`${id}-text`} className="question-text">
          <p className="mb-1">
            <strong>The agent asks you to take over the browser:</strong> {reason}
          </p>
          {instructions && <Markdown text={instructions} />}
        </div>
      </div>
      {open && (
        <div className="question-options">
          <button type="button" className="btn btn-sm btn-primary" onClick={() => setShown(true)}>
            Open the browser
          </button>
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            disabled={declining.working}
            onClick={() => declining.run(() => end(which, false, false))}
          >
            I won't
          </button>
        </div>
      )}
      {declining.failure !== null && open && (
        <p className="question-outcome text-problem" role="alert">
          {messageOf(declining.failure)}
        </p>
      )}
      {outcome && <p className="question-outcome">{outcome}</p>}
      {open && shown && <LiveBrowser call={which} reason={reason} onClose={() => setShown(false)} />}
    </article>
  );
}
