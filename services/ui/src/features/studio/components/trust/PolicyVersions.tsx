import { useCallback, useState } from "react";
import { Diff } from "../../../../components/Diff";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { pretty } from "../../../../lib/jsonText";
import type { Policy } from "../../../../lib/wire";
import { clockTime, dayWords } from "../../../../lib/words";
import { readPolicy, readPolicyVersions, revertPolicy } from "../../api/policy";
import { plain } from "../../fold/policy";
import { by, versionName } from "../../fold/words";
import { Failure } from "../Failure";

interface Props {
  agentId: string;
  now: Policy;
  onReverted: () => void;
}

/** Who changed the policy and when, what each version is beside the one that holds, and the way back. */
export function PolicyVersions({ agentId, now, onReverted }: Props) {
  const read = useRead(
    useCallback((signal: AbortSignal) => readPolicyVersions(agentId, signal), [agentId]),
    now.sequence,
  );
  const [compared, setCompared] = useState<number | null>(null);
  const action = useAction();
  return (
    <section aria-label="Versions of the policy">
      <h2 className="studio-subtitle">Versions</h2>
      <Reading read={read}>
        {({ versions }) => (
          <ol className="studio-versions" reversed>
            {versions.length === 0 && <li>Nobody has written it yet: it is balanced.</li>}
            {versions.map((one, place) => (
              <li key={one.sequence} className="studio-version">
                <span>
                  <strong>{versionName(one)}</strong>, by {by(one.actor)}, {dayWords(one.time, new Date())}{" "}
                  {clockTime(one.time)}
                </span>
                {place > 0 && !one.deleted && (
                  <span className="studio-version-actions">
                    <button
                      type="button"
                      className="btn btn-sm btn-link"
                      onClick={() => setCompared(compared === one.sequence ? null : one.sequence)}
                    >
                      Beside now<span className="visually-hidden"> version {one.version}</span>
                    </button>
                    <button
                      type="button"
                      className="btn btn-sm btn-outline-primary"
                      disabled={action.working}
                      onClick={() => action.run(() => revertPolicy(agentId, one.sequence), onReverted)}
                    >
                      Bring back<span className="visually-hidden"> version {one.version}</span>
                    </button>
                  </span>
                )}
                {compared === one.sequence && <Beside agentId={agentId} at={one.sequence} now={now} />}
              </li>
            ))}
          </ol>
        )}
      </Reading>
      <Failure failure={action.failure} />
    </section>
  );
}

function Beside({ agentId, at, now }: { agentId: string; at: number; now: Policy }) {
  const then = useRead(useCallback((signal: AbortSignal) => readPolicy(agentId, at, signal), [agentId, at]));
  return (
    <Reading read={then}>
      {(policy) => (
        <Diff before={pretty(plain(policy))} after={pretty(plain(now))} label="What differs now" />
      )}
    </Reading>
  );
}
