import { useAction } from "../../../../lib/hooks/useAction";
import type { Version } from "../../../../lib/wire";
import { Failure } from "../Failure";
import { Revert, VersionRow } from "./VersionRow";

interface Props {
  agentId: string;
  versions: readonly Version[];
  titleOf: (sessionId: string) => string | null;
  revert: (sequence: number) => Promise<unknown>;
  onReverted: () => void;
}

/** Who changed a thing and when, and the way back to a version. */
export function RevertibleVersions({ agentId, versions, titleOf, revert, onReverted }: Props) {
  const action = useAction();
  return (
    <>
      <Failure failure={action.failure} />
      <ol className="studio-versions" reversed>
        {versions.map((one, index) => (
          <VersionRow key={one.sequence} {...{ agentId, version: one, now: index === 0, titleOf }}>
            {!one.deleted && index > 0 && (
              <Revert
                version={one}
                disabled={action.working}
                onPress={() => action.run(() => revert(one.sequence), onReverted)}
              />
            )}
          </VersionRow>
        ))}
      </ol>
    </>
  );
}
