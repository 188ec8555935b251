import { useCallback } from "react";
import { Diff } from "../../../../components/Diff";
import { Reading } from "../../../../components/Reading";
import { useRead } from "../../../../lib/hooks/useRead";
import { pretty } from "../../../../lib/jsonText";
import { type Delegates, readDelegates, readDelegatesVersions, revertDelegates } from "../../api/delegates";
import { VersionList } from "../versions/VersionList";

interface Props {
  agentId: string;
  now: Delegates;
  onReverted: () => void;
}

/** The versions of the delegates, each beside those that there are. */
export function DelegatesVersions({ agentId, now, onReverted }: Props) {
  return (
    <VersionList
      of="the delegates"
      none="Nobody has named any yet."
      read={useCallback((signal: AbortSignal) => readDelegatesVersions(agentId, signal), [agentId])}
      revision={now.version}
      beside={(sequence) => <Beside agentId={agentId} at={sequence} now={now} />}
      revert={(sequence) => revertDelegates(agentId, sequence)}
      onReverted={onReverted}
    />
  );
}

function Beside({ agentId, at, now }: { agentId: string; at: number; now: Delegates }) {
  const then = useRead(
    useCallback((signal: AbortSignal) => readDelegates(agentId, at, signal), [agentId, at]),
  );
  return (
    <Reading read={then}>
      {({ delegates }) => (
        <Diff before={pretty(delegates)} after={pretty(now.delegates)} label="What differs now" />
      )}
    </Reading>
  );
}
