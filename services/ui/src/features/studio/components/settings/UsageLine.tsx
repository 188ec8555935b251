import { useCallback } from "react";
import { useRead } from "../../../../lib/hooks/useRead";
import { bytes } from "../../../../lib/words";
import { readUsage } from "../../api/requests";

/** From this part of what it may keep on, one is told. */
const NEARLY = 0.9;

/** What an agent has used of its quotas. */
export function UsageLine({ agentId }: { agentId: string }) {
  const read = useCallback((signal: AbortSignal) => readUsage(agentId, signal), [agentId]);
  const { log, database, kept } = useRead(read).value ?? {};
  if (!log || !database || !kept) return null;
  const full = log.limit > 0 && log.used >= log.limit;
  const crowded = kept.limit > 0 && kept.used >= NEARLY * kept.limit;
  return (
    <p className={`studio-usage ${full || crowded ? "is-full" : ""}`}>
      Log today: {bytes(log.used)}
      {log.limit > 0 && <Limit bytes={log.limit} />}
      {full && ". The agent takes new work again tomorrow (UTC)."}
      {database.used !== null && (
        <>
          {" "}
          · Database: {bytes(database.used)}
          {database.limit && <Limit bytes={database.limit} />}
        </>
      )}{" "}
      <span title={kept.parts.map((one) => `${one.part}: ${bytes(one.bytes)}`).join(", ")}>
        · Keeps: {bytes(kept.used)}
      </span>
      {kept.limit > 0 && <Limit bytes={kept.limit} />}
      {crowded && ". What is too much is refused: delete files or rows that it needs no more."}
    </p>
  );
}

/** How much it may be. Narrow pages leave it out. */
function Limit({ bytes: limit }: { bytes: number }) {
  return <span className="studio-limit"> of {bytes(limit)}</span>;
}
