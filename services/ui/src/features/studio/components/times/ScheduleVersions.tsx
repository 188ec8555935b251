import { useCallback } from "react";
import { Reading } from "../../../../components/Reading";
import { useRead } from "../../../../lib/hooks/useRead";
import { readScheduleVersions, revertSchedule } from "../../api/schedules";
import { RevertibleVersions } from "../versions/RevertibleVersions";

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
  return (
    <section aria-label="Versions">
      <h3 className="studio-subtitle">Versions</h3>
      <Reading read={found}>
        {({ versions }) => (
          <RevertibleVersions
            {...{ agentId, versions, titleOf }}
            revert={(sequence) => revertSchedule(agentId, scheduleId, sequence)}
            onReverted={onChanged}
          />
        )}
      </Reading>
    </section>
  );
}
