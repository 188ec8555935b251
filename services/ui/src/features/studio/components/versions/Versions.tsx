import { useState } from "react";
import { OutsideLine } from "../../../../components/OutsideLine";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import type { Version } from "../../../../lib/wire";
import type { Place } from "../../api/requests";
import { revert } from "../../api/writes";
import { chosenPair, type Pair, revertible } from "../../fold/versions";
import { Failure } from "../Failure";
import { Author } from "./Author";
import { Comparison } from "./Comparison";
import type { VersionList } from "./useVersions";

interface Props {
  place: Place;
  versions: VersionList;
  titleOf: (sessionId: string) => string | null;
}

/** All versions of a thing: what changed between any two, and the way back to one. */
export function Versions({ place, versions, titleOf }: Props) {
  const [pair, setPair] = useState<Partial<Pair>>({});
  const [done, setDone] = useState("");
  const action = useAction();

  function goBack(version: Version) {
    setDone("");
    action.run(
      () => revert(place, version.sequence),
      ({ version: made }) => {
        setPair({});
        setDone(`Version ${made} is as version ${version.version} was.`);
      },
    );
  }

  return (
    <Reading read={versions.read}>
      {({ versions: found, more }) =>
        found.length === 0 ? (
          <p className="text-body-secondary">There are no versions: nobody has written it yet.</p>
        ) : (
          <>
            <Comparison place={place} versions={found} pair={chosenPair(found, pair)} onPair={setPair} />
            <Failure failure={action.failure} />
            <p className="studio-done" role="status">
              {done}
            </p>
            <h3 className="studio-subtitle">All versions</h3>
            <ol className="studio-versions" reversed>
              {found.map((version, index) => (
                <li key={version.sequence} className="studio-version">
                  <span className="studio-version-what">
                    <strong>{version.deleted ? "Deleted" : `Version ${version.version}`}</strong>
                    {index === 0 && <span className="badge studio-badge">now</span>}
                    <Author agentId={place.agentId} version={version} titleOf={titleOf} />
                    <OutsideLine sources={version.outside ?? []} words="With material from" />
                  </span>
                  <span className="studio-version-actions">
                    {index + 1 < found.length && (
                      <button
                        type="button"
                        className="btn btn-sm btn-link"
                        onClick={() => setPair({ to: version.sequence })}
                      >
                        What changed
                        <span className="visually-hidden"> at event {version.sequence}</span>
                      </button>
                    )}
                    {revertible(found, index) && (
                      <button
                        type="button"
                        className="btn btn-sm btn-outline-primary"
                        disabled={action.working}
                        onClick={() => goBack(version)}
                      >
                        Revert to {version.version}
                        <span className="visually-hidden"> of event {version.sequence}</span>
                      </button>
                    )}
                  </span>
                </li>
              ))}
            </ol>
            {more && (
              <button type="button" className="btn btn-sm btn-link" onClick={versions.showOlder}>
                Show older versions
              </button>
            )}
          </>
        )
      }
    </Reading>
  );
}
