import { useState } from "react";
import { Icon } from "../../../../components/Icon";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { go, studioHref } from "../../../../lib/route";
import { count, dayWords, money } from "../../../../lib/words";
import { createAgent, readTokens } from "../../api/agents";
import { readAgents } from "../../api/requests";
import { Failure } from "../Failure";
import { AgentRow } from "./AgentRow";
import "../../settings.css";

/** All agents: made, renamed and deleted here, with what each used. */
export function AgentsRoom({ agentId }: { agentId: string }) {
  const agents = useRead(readAgents);
  const tokens = useRead(readTokens).value;
  const [name, setName] = useState("");
  const [starters, setStarters] = useState(true);
  const making = useAction();
  return (
    <div className="agents-room">
      <p className="text-body-secondary">
        Each agent has a prompt, tools, files and chats of its own. None sees what another one has.
      </p>
      <Reading read={agents}>
        {(found) => (
          <ul className="studio-secret-list" aria-label="Agents">
            {found.map((agent) => {
              const used = tokens?.get(agent.id);
              return (
                <AgentRow
                  key={`${agent.id} ${agent.version}`}
                  agent={agent}
                  current={agent.id === agentId}
                  used={
                    used
                      ? `${count(used.tokens)} tokens in 30 days${used.micros > 0 ? `, ${money(used.micros, true)}` : ""}`
                      : `made ${dayWords(agent.created_at, new Date()).replace(/^(Today|Yesterday)$/, (day) => day.toLowerCase())}`
                  }
                  onChanged={agents.again}
                  onDeleted={() => {
                    agents.again();
                    if (agent.id === agentId) go(studioHref("default", "agents"));
                  }}
                />
              );
            })}
          </ul>
        )}
      </Reading>
      <form
        className="studio-secret-form"
        aria-label="New agent"
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          making.run(
            () => createAgent(name.trim(), starters),
            (made) => {
              setName("");
              agents.again();
              go(studioHref(made.id, "agents"));
            },
          );
        }}
      >
        <h2>New agent</h2>
        <label className="form-label" htmlFor="new-agent-name">
          Name
        </label>
        <input
          id="new-agent-name"
          className="form-control"
          value={name}
          required
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="form-check">
          <input
            id="new-agent-starters"
            className="form-check-input"
            type="checkbox"
            checked={starters}
            onChange={(event) => setStarters(event.target.checked)}
          />
          <label className="form-check-label" htmlFor="new-agent-starters">
            With a page, a tool and a skill to begin with
          </label>
        </div>
        <Failure failure={making.failure} />
        <div className="studio-buttons">
          <button type="submit" className="btn btn-primary" disabled={making.working || !name.trim()}>
            <Icon name="plus" size={14} /> {making.working ? "Making…" : "Make an agent"}
          </button>
        </div>
      </form>
    </div>
  );
}
