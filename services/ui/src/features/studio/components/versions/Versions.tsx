import { useState } from "react";
import { OutsideLine } from "../../../../components/OutsideLine";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import type { Version } from "../../../../lib/wire";
import type { Place } from "../../api/requests";
import { revert } from "../../api/writes";
import { chosenPair, type Pair, revertible } from "../../fold/versions";
import { Failure } from "../Failure";
import { Comparison } from "./Comparison";
import type { VersionList } from "./useVersions";
import { Revert, VersionRow } from "./VersionRow";

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
        setDone(`Version ${made} restores version ${version.version}.`);
      },
    );
  }

  return (
    <Reading read={versions.read}>
      {({ versions: found, more }) =>
        found.length === 0 ? (
          <p className="text-body-secondary">No versions yet.</p>
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
                <VersionRow
                  key={version.sequence}
                  {...{ agentId: place.agentId, version, now: index === 0, titleOf }}
                  about={<OutsideLine sources={version.outside ?? []} words="With material from" />}
                >
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
                    <Revert version={version} disabled={action.working} onPress={() => goBack(version)} />
                  )}
                </VersionRow>
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
