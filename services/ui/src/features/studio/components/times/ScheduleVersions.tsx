import { useCallback } from "react";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { readScheduleVersions, revertSchedule } from "../../api/schedules";
import { Failure } from "../Failure";
import { Author } from "../versions/Author";

interface Props {
  agentId: string;
  scheduleId: string;
  revision: string;
  titleOf: (sessionId: string) => string | null;
  onChanged: () => void;
}

/** Who changed a task and when, and the way back to a version. */
export function ScheduleVersions({ agentId, scheduleId, revision, titleOf, onChanged }: Props) {
  const read = useCallback(
    (signal: AbortSignal) => readScheduleVersions(agentId, scheduleId, signal),
    [agentId, scheduleId],
  );
  const found = useRead(read, revision);
  const action = useAction();
  return (
    <section aria-label="Versions">
      <h3 className="studio-subtitle">Versions</h3>
      <Failure failure={action.failure} />
      <Reading read={found}>
        {({ versions }) => (
          <ol className="studio-versions" reversed>
            {versions.map((one, index) => (
              <li key={one.sequence} className="studio-version">
                <span className="studio-version-what">
                  <strong>{one.deleted ? "Deleted" : `Version ${one.version}`}</strong>
                  {index === 0 && <span className="badge studio-badge">now</span>}
                  <Author agentId={agentId} version={one} titleOf={titleOf} />
                </span>
                {!one.deleted && index > 0 && (
                  <span className="studio-version-actions">
                    <button
                      type="button"
                      className="btn btn-sm btn-outline-primary"
                      disabled={action.working}
                      onClick={() =>
                        action.run(() => revertSchedule(agentId, scheduleId, one.sequence), onChanged)
                      }
                    >
                      Revert to {one.version}
                      <span className="visually-hidden"> of event {one.sequence}</span>
                    </button>
                  </span>
                )}
              </li>
            ))}
          </ol>
        )}
      </Reading>
    </section>
  );
}
