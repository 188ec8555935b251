import { useCallback } from "react";
import { useRead } from "../../../../lib/hooks/useRead";
import { bytes } from "../../../../lib/words";
import { readUsage } from "../../api/requests";

/** The line warns from this share of the quota on. */
const NEARLY = 0.9;

/** How much of its quotas an agent has used: storage in the line, the rest in its title. */
export function UsageLine({ agentId }: { agentId: string }) {
  const read = useCallback((signal: AbortSignal) => readUsage(agentId, signal), [agentId]);
  const { log, database, kept } = useRead(read).value ?? {};
  if (!log || !database || !kept) return null;
  const full = log.limit > 0 && log.used >= log.limit;
  const crowded = kept.limit > 0 && kept.used >= NEARLY * kept.limit;
  const parts = [
    ...kept.parts.map((one) => `${one.part}: ${bytes(one.bytes)}`),
    `log today: ${ofLimit(log.used, log.limit)}`,
    ...(database.used === null ? [] : [`database: ${ofLimit(database.used, database.limit)}`]),
  ];
  return (
    <p className={`studio-usage ${full || crowded ? "is-full" : ""}`}>
      <span title={parts.join(", ")}>Storage: {bytes(kept.used)}</span>
      {kept.limit > 0 && <span className="studio-limit"> of {bytes(kept.limit)}</span>}
      {crowded && ". Almost full: delete files or rows that the agent no longer needs."}
      {full && ` · Today's log is full (${bytes(log.limit)}). The agent takes new work tomorrow (UTC).`}
    </p>
  );
}

function ofLimit(used: number, limit: number | null): string {
  return limit ? `${bytes(used)} of ${bytes(limit)}` : bytes(used);
}
