import { Icon } from "../../../components/Icon";
import { actedOn } from "../../../lib/shown";
import type { ToolCall } from "../../../lib/wire";
import { titleOf } from "../fold/shown";

interface Props {
  call: ToolCall;
  onOpen: (callId: string) => void;
}

/** A component that the agent put before the person: it stands in the canvas, this is where it belongs. */
export function RenderCard({ call, onOpen }: Props) {
  const waits = call.status === "pending";
  return (
    <article className={`question render-card ${waits ? "is-open" : ""}`}>
      <div className="question-head">
        <Icon name="canvas" size={18} />
        <div className="question-text">
          <span className="render-title">{titleOf(call)}</span>
          <Outcome call={call} />
        </div>
        <button
          type="button"
          className={`btn btn-sm ${waits ? "btn-primary" : "btn-outline-secondary"}`}
          onClick={() => onOpen(call.call_id)}
        >
          {waits ? "Open" : "Show"}
        </button>
      </div>
    </article>
  );
}

function Outcome({ call }: { call: ToolCall }) {
  if (call.status === "pending") return <p className="render-outcome">Waits for you in the canvas</p>;
  const acted = actedOn(call);
  if (!acted) return <p className="render-outcome">Closed. {call.error?.message}</p>;
  const { action, ...payload } = acted;
  if (action === "dismiss") return <p className="render-outcome">Dismissed</p>;
  const more = Object.keys(payload).length ? JSON.stringify(payload) : "";
  return (
    <p className="render-outcome">
      <Icon name="check" size={14} /> {action}
      {more && <code className="render-payload">{more.length > 200 ? `${more.slice(0, 200)} …` : more}</code>}
    </p>
  );
}
