import { type ReactNode, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import type { Versions } from "../../../../lib/wire";
import { clockTime, dayWords } from "../../../../lib/words";
import { by, versionName } from "../../fold/words";
import { Failure } from "../Failure";

interface Props {
  /** What has these versions, as in "Versions of the policy". */
  of: string;
  /** What is said where there are none. */
  none: string;
  read: (signal: AbortSignal) => Promise<Versions>;
  revision: unknown;
  /** A version, by its event, beside what holds. */
  beside: (sequence: number) => ReactNode;
  revert: (sequence: number) => Promise<unknown>;
  onReverted: () => void;
}

/** Who changed something and when, what each version is beside the one that holds, and the way back. */
export function VersionList({ of, none, read, revision, beside, revert, onReverted }: Props) {
  const found = useRead(read, revision);
  const [compared, setCompared] = useState<number | null>(null);
  const action = useAction();
  return (
    <section aria-label={`Versions of ${of}`}>
      <h2 className="studio-subtitle">Versions</h2>
      <Reading read={found}>
        {({ versions }) => (
          <ol className="studio-versions" reversed>
            {versions.length === 0 && <li>{none}</li>}
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
                      Compare with now<span className="visually-hidden"> version {one.version}</span>
                    </button>
                    <button
                      type="button"
                      className="btn btn-sm btn-outline-primary"
                      disabled={action.working}
                      onClick={() => action.run(() => revert(one.sequence), onReverted)}
                    >
                      Bring back<span className="visually-hidden"> version {one.version}</span>
                    </button>
                  </span>
                )}
                {compared === one.sequence && (
                  <div className="studio-version-beside">{beside(one.sequence)}</div>
                )}
              </li>
            ))}
          </ol>
        )}
      </Reading>
      <Failure failure={action.failure} />
    </section>
  );
}
