import { useState } from "react";
import { useReadOf } from "../../../../lib/hooks/useRead";
import { messageOf } from "../../../../lib/problems";
import { bytes, count, money } from "../../../../lib/words";
import { readCosts, readSpace, readUsage } from "../../api/operating";

/** What an agent's model calls took and cost in the last 30 days, by day and model. */
export function CostTable({ agentId }: { agentId: string }) {
  const { items: costs } = useReadOf(readCosts, [agentId]).value ?? {};
  if (!costs || costs.length === 0) return null;
  const known = costs.flatMap(({ usage }) => usage.cost_micros ?? []);
  const whole = costs.every(({ unpriced_tokens }) => unpriced_tokens === 0);
  const sum = known.length > 0 ? known.reduce((one, other) => one + other) : null;
  return (
    <details className="studio-costs">
      <summary>
        <span className="studio-limit">Models, </span>30 days: {money(sum, whole)}
      </summary>
      <table className="table table-sm">
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Model</th>
            {["Calls", "Input", "of it cached", "Output", "Cost"].map((heading) => (
              <th key={heading} scope="col" className="text-end">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {costs.map(({ day, model, calls, usage, unpriced_tokens }) => (
            <tr key={`${day} ${model}`}>
              <th scope="row">{day}</th>
              <td>{model ?? "asked by tools"}</td>
              {[calls, usage.input, usage.cached_input ?? 0, usage.output].map((figure, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change
                <td key={column} className="text-end">
                  {count(figure)}
                </td>
              ))}
              <td className="text-end">{money(usage.cost_micros, unpriced_tokens === 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** What takes space in the log, by part, with what removes it: read when somebody opens it. */
export function SpaceTable({ agentId }: { agentId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="studio-costs" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What takes space</summary>
      {open && <SpaceParts agentId={agentId} />}
    </details>
  );
}

const PARTS: Readonly<Record<string, string>> = {
  chats: "Chats",
  archived_chats: "Archived chats",
  runs: "Runs of scheduled tasks",
  woken_chats: "Chats that other services began",
  sub_sessions: "Sub-sessions",
  agent: "The agent, with every version of what it has",
};

function SpaceParts({ agentId }: { agentId: string }) {
  const { value, failure } = useReadOf(readSpace, [agentId]);
  if (failure) return <p role="alert">What takes space can't be read: {messageOf(failure)}</p>;
  if (!value) return <p role="status">Loading…</p>;
  return (
    <table className="table table-sm">
      <thead>
        <tr>
          <th scope="col">In the log</th>
          <th scope="col" className="text-end">
            About
          </th>
          <th scope="col" className="text-end">
            Sessions
          </th>
          <th scope="col">What removes it</th>
        </tr>
      </thead>
      <tbody>
        {value.items.map(({ part, sessions, bytes: size, goes }) => (
          <tr key={part}>
            <th scope="row">{PARTS[part] ?? part}</th>
            <td className="text-end">{bytes(size)}</td>
            <td className="text-end">{part === "agent" ? "" : count(sessions)}</td>
            <td>{goes ?? "nothing"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The line warns from this share of the quota on. */
const NEARLY = 0.9;

/** How much of its quotas an agent has used: storage in the line, the rest in its title. */
export function UsageLine({ agentId }: { agentId: string }) {
  const { log, database, kept } = useReadOf(readUsage, [agentId]).value ?? {};
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
