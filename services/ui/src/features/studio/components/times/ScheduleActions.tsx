import { Icon } from "../../../../components/Icon";
import type { Action } from "../../../../lib/hooks/useAction";
import type { Schedule } from "../../../../lib/wire";
import { steer } from "../../api/schedules";

interface Props {
  agentId: string;
  schedule: Schedule;
  action: Action;
  onChanged: () => void;
}

/** Run a task now, pause it, or let it go on. */
export function ScheduleActions({ agentId, schedule: { id, name, enabled }, action, onChanged }: Props) {
  const say = <span className="visually-hidden"> {name}</span>;
  const does = (what: "pause" | "resume" | "run") => () =>
    action.run(() => steer(agentId, id, what), onChanged);
  return (
    <div className="timed-actions">
      <button
        type="button"
        className="btn btn-sm btn-outline-secondary"
        disabled={action.working}
        onClick={does("run")}
      >
        <Icon name="play" size={14} /> Run now{say}
      </button>
      <button
        type="button"
        className="btn btn-sm btn-outline-secondary"
        disabled={action.working}
        onClick={does(enabled ? "pause" : "resume")}
      >
        <Icon name={enabled ? "pause" : "play"} size={14} /> {enabled ? "Pause" : "Resume"}
        {say}
      </button>
    </div>
  );
}
