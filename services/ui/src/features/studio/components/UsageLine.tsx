import { useCallback } from "react";
import { useRead } from "../../../lib/useRead";
import { bytes } from "../../../lib/words";
import { readUsage } from "../api/requests";

/** What an agent has used of its quotas. */
export function UsageLine({ agentId }: { agentId: string }) {
  const read = useCallback((signal: AbortSignal) => readUsage(agentId, signal), [agentId]);
  const { log, database } = useRead(read).value ?? {};
  if (!log || !database) return null;
  const full = log.limit > 0 && log.used >= log.limit;
  return (
    <p className={`studio-usage ${full ? "is-full" : ""}`}>
      Log today: {bytes(log.used)}
      {log.limit > 0 && <Limit bytes={log.limit} />}
      {full && ". The agent takes new work again tomorrow (UTC)."}
      {database.used !== null && (
        <>
          {" "}
          · Database: {bytes(database.used)}
          {database.limit && <Limit bytes={database.limit} />}
        </>
      )}
    </p>
  );
}

/** How much it may be. Narrow pages leave it out. */
function Limit({ bytes: limit }: { bytes: number }) {
  return <span className="studio-limit"> of {bytes(limit)}</span>;
}
