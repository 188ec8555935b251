import { useCallback } from "react";
import { Diff } from "../../../../components/Diff";
import { Reading } from "../../../../components/Reading";
import { useRead } from "../../../../lib/hooks/useRead";
import { pretty } from "../../../../lib/jsonText";
import type { Policy } from "../../../../lib/wire";
import { readPolicy, readPolicyVersions, revertPolicy } from "../../api/policy";
import { plain } from "../../fold/policy";
import { VersionList } from "../versions/VersionList";

interface Props {
  agentId: string;
  now: Policy;
  onReverted: () => void;
}

/** The versions of the policy, each beside the one that holds. */
export function PolicyVersions({ agentId, now, onReverted }: Props) {
  return (
    <VersionList
      of="the policy"
      none="No changes yet: the Balanced preset applies."
      read={useCallback((signal: AbortSignal) => readPolicyVersions(agentId, signal), [agentId])}
      revision={now.sequence}
      beside={(sequence) => <Beside agentId={agentId} at={sequence} now={now} />}
      revert={(sequence) => revertPolicy(agentId, sequence)}
      onReverted={onReverted}
    />
  );
}

function Beside({ agentId, at, now }: { agentId: string; at: number; now: Policy }) {
  const then = useRead(useCallback((signal: AbortSignal) => readPolicy(agentId, at, signal), [agentId, at]));
  return (
    <Reading read={then}>
      {(policy) => (
        <Diff before={pretty(plain(policy))} after={pretty(plain(now))} label="Differences from now" />
      )}
    </Reading>
  );
}
