import { useAction } from "../../../../lib/hooks/useAction";
import { chatHref } from "../../../../lib/route";
import type { Reminder } from "../../../../lib/wire";
import { cancelReminder } from "../../api/schedules";
import { Failure } from "../Failure";
import { Moment } from "./Moment";

interface Props {
  agentId: string;
  reminders: readonly Reminder[];
  zone: string;
  titleOf: (sessionId: string) => string | null;
}

/** What the agent's chats will be reminded of. */
export function Reminders({ agentId, reminders, zone, titleOf }: Props) {
  const action = useAction();
  return (
    <section aria-label="Reminders">
      <div className="timed-head">
        <h2>Reminders</h2>
      </div>
      <Failure failure={action.failure} />
      {reminders.length === 0 && (
        <p role="status" className="text-body-secondary">
          Nothing waits. In any chat, ask to be reminded.
        </p>
      )}
      <ul className="timed-list">
        {reminders.map(({ id, at, message, reminds }) => (
          <li key={id} className="timed-row">
            <div className="timed-what">
              <p className="timed-message">{message}</p>
              <p>
                <Moment time={at} zone={zone} /> in{" "}
                <a href={chatHref(reminds)}>{titleOf(reminds) ?? "its chat"}</a>
              </p>
            </div>
            <div className="timed-actions">
              <button
                type="button"
                className="btn btn-sm btn-outline-secondary"
                disabled={action.working}
                onClick={() => action.run(() => cancelReminder(agentId, id))}
              >
                Cancel<span className="visually-hidden"> the reminder {message}</span>
              </button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
