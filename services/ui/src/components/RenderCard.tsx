import type { ReactNode } from "react";
import { actedOn, titleOf, versionOf } from "../lib/shown";
import type { ToolCall } from "../lib/wire";
import { Icon } from "./Icon";
import "./questions.css";

const LONGEST = 200;

interface Props {
  call: ToolCall;
  onShow: () => void;
  /** Where it is looked at in the past: whether it is drawn within the card. */
  then?: { open: boolean };
  children?: ReactNode;
}

/** A component that the agent put before the person: it stands in the canvas, this is where it belongs. */
export function RenderCard({ call, onShow, then, children }: Props) {
  const waits = call.status === "pending";
  const asks = waits && !then;
  const version = then && versionOf(call);
  return (
    <article
      className={`question render-card ${asks ? "is-open" : ""}`}
      aria-label={`Component ${titleOf(call)}`}
    >
      <div className="question-head">
        <Icon name="canvas" size={18} />
        <div className="question-text">
          <span className="render-title">{titleOf(call)}</span>
          {version && <span className="render-version"> {version}</span>}
          {waits ? (
            <p className="render-outcome">{then ? "Waited for you then" : "Waits for you in the canvas"}</p>
          ) : (
            <Outcome call={call} />
          )}
        </div>
        <button
          type="button"
          className={`btn btn-sm ${asks ? "btn-primary" : "btn-outline-secondary"}`}
          aria-expanded={then?.open}
          onClick={onShow}
        >
          {asks ? "Open" : then?.open ? "Hide" : "Show"}
        </button>
      </div>
      {children}
    </article>
  );
}

function Outcome({ call }: { call: ToolCall }) {
  const acted = actedOn(call);
  if (!acted) return <p className="render-outcome">Closed. {call.error?.message}</p>;
  const { action, ...payload } = acted;
  if (action === "dismiss") return <p className="render-outcome">Dismissed</p>;
  const more = Object.keys(payload).length ? JSON.stringify(payload) : "";
  return (
    <p className="render-outcome">
      <Icon name="check" size={14} /> {action}
      {more && (
        <code className="render-payload">{more.length > LONGEST ? `${more.slice(0, LONGEST)} …` : more}</code>
      )}
    </p>
  );
}
