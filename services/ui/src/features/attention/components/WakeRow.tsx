import { Icon } from "../../../components/Icon";
import { useAction } from "../../../lib/hooks/useAction";
import { messageOf } from "../../../lib/problems";
import { chatHref, go } from "../../../lib/route";
import { dismiss, open } from "../api/requests";
import type { InboxWake } from "../fold/view";
import { beginningOf, leftBy } from "../fold/words";
import { When } from "./ThingRow";

/** What another service left: shown as its words, not as anybody's here. */
export function WakeRow({ wake, onChange }: { wake: InboxWake; onChange: () => void }) {
  const action = useAction();
  const of = <span className="visually-hidden"> the message of {wake.source}</span>;
  return (
    <li className="attention-wake">
      <div className="attention-left">
        <Icon name="broadcast" size={16} />
        <strong>{leftBy(wake)}</strong>
        <span className="badge text-bg-secondary">from outside</span>
        <When time={wake.received_at} />
      </div>
      <blockquote className="attention-message">{beginningOf(wake)}</blockquote>
      {action.failure !== null && (
        <p className="text-danger-emphasis" role="alert">
          {messageOf(action.failure)}
        </p>
      )}
      <div className="attention-actions">
        <button
          type="button"
          className="btn btn-sm btn-outline-primary"
          disabled={action.working}
          onClick={() =>
            action.run(
              () => open(wake),
              (session) => {
                onChange();
                go(chatHref(session));
              },
            )
          }
        >
          {wake.session_id ? "Tell its chat" : "Open in a new chat"}
          {of}
        </button>
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          disabled={action.working}
          onClick={() => action.run(() => dismiss(wake), onChange)}
        >
          Dismiss
          {of}
        </button>
      </div>
    </li>
  );
}
