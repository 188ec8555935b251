import { useId } from "react";
import { useRead } from "../../../../lib/hooks/useRead";
import { go, studioHref } from "../../../../lib/route";
import { readAgents } from "../../api/requests";
import type { Shelf } from "../../fold/sections";

/** Whose studio it is; a choice where there are several agents. */
export function AgentChoice({ agentId, section }: { agentId: string; section: Shelf }) {
  const agents = useRead(readAgents, agentId).value ?? [];
  const id = useId();
  if (agents.length < 2) return null;
  const known = agents.some((agent) => agent.id === agentId);
  return (
    <div className="studio-agent">
      <label className="visually-hidden" htmlFor={id}>
        Agent
      </label>
      <select
        id={id}
        className="form-select form-select-sm"
        value={agentId}
        onChange={(event) => go(studioHref(event.target.value, section))}
      >
        {!known && <option value={agentId}>{agentId}</option>}
        {agents.map((agent) => (
          <option key={agent.id} value={agent.id}>
            {agent.name}
          </option>
        ))}
      </select>
    </div>
  );
}
