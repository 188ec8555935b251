import { useState } from "react";
import { Check } from "../../../../components/Check";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { go, studioHref } from "../../../../lib/route";
import type { Agent } from "../../../../lib/wire";
import { count, dayWords, money } from "../../../../lib/words";
import { createAgent, deleteAgent, readAgents, readTokens, renameAgent } from "../../api/operating";
import { Failure, Form, Press, Room, TextField } from "../controls";
import { Asked } from "../deleting";
import "../../settings.css";

/** The agent that is always there. */
const KEPT = "default";

/** All agents: made, renamed and deleted here, with what each used. */
export function AgentsRoom({ agentId }: { agentId: string }) {
  const agents = useRead(readAgents);
  const tokens = useRead(readTokens).value;
  const [name, setName] = useState("");
  const [starters, setStarters] = useState(true);
  const making = useAction();
  return (
    <Room
      label="All agents"
      about="Each agent has a prompt, tools, files and chats of its own. None sees what another one has."
    >
      <Reading read={agents}>
        {(found) => (
          <ul className="studio-secret-list" aria-label="Agents">
            {found.map((agent) => (
              <AgentRow
                key={`${agent.id} ${agent.version}`}
                agent={agent}
                current={agent.id === agentId}
                used={usedWords(agent, tokens?.get(agent.id))}
                onChanged={agents.again}
                onDeleted={() => {
                  agents.again();
                  if (agent.id === agentId) go(studioHref(KEPT, "agents"));
                }}
              />
            ))}
          </ul>
        )}
      </Reading>
      <Form
        label="New agent"
        onSubmit={() =>
          making.run(
            () => createAgent(name.trim(), starters),
            (made) => {
              setName("");
              agents.again();
              go(studioHref(made.id, "agents"));
            },
          )
        }
      >
        <h2 className="fs-6">New agent</h2>
        <TextField label="Name" value={name} required maxLength={100} onText={setName} />
        <Check checked={starters} onChange={setStarters}>
          With a page, a tool and a skill to begin with
        </Check>
        <Failure failure={making.failure} />
        <div className="studio-buttons">
          <Press type="submit" large look="btn-primary" icon="plus" disabled={making.working || !name.trim()}>
            {making.working ? "Making…" : "Make an agent"}
          </Press>
        </div>
      </Form>
    </Room>
  );
}

function usedWords({ created_at }: Agent, used?: { tokens: number; micros: number }): string {
  if (used)
    return `${count(used.tokens)} tokens in 30 days${used.micros > 0 ? `, ${money(used.micros, true)}` : ""}`;
  return `made ${dayWords(created_at, new Date()).replace(/^(Today|Yesterday)$/, (day) => day.toLowerCase())}`;
}

interface Props {
  agent: Agent;
  current: boolean;
  /** What it used, in words. */
  used: string;
  onChanged: () => void;
  onDeleted: () => void;
}

/** One agent, with what can be done to it. */
function AgentRow({ agent, current, used, onChanged, onDeleted }: Props) {
  const [name, setName] = useState<string | null>(null);
  const [deleting, setDeleting] = useState(false);
  const action = useAction();
  const begin = (what: () => void) => () => {
    action.forget();
    what();
  };
  if (name !== null)
    return (
      <li className="studio-secret">
        <Form
          className="setting-value"
          label={`Rename ${agent.name}`}
          onSubmit={() =>
            action.run(
              () => renameAgent(agent.id, name.trim()),
              () => {
                setName(null);
                onChanged();
              },
            )
          }
        >
          <input
            className="form-control form-control-sm"
            aria-label="Name"
            value={name}
            required
            maxLength={100}
            // biome-ignore lint/a11y/noAutofocus: the field appears because the user asked for it
            autoFocus
            onChange={(event) => setName(event.target.value)}
          />
          <Press
            type="submit"
            look="btn-primary"
            disabled={action.working || !name.trim() || name.trim() === agent.name}
          >
            Save
          </Press>
          <Press onPress={() => setName(null)}>Cancel</Press>
        </Form>
        <Failure failure={action.failure} />
      </li>
    );
  return (
    <li className="studio-secret">
      <div className="studio-secret-what">
        <a href={studioHref(agent.id, "agents")} aria-current={current ? "true" : undefined}>
          {agent.name}
        </a>
        <code>{agent.id}</code>
        <span className="studio-secret-hosts">{used}</span>
      </div>
      <div className="studio-actions">
        <Press of={agent.name} onPress={begin(() => setName(agent.name))}>
          Rename…
        </Press>
        {agent.id !== KEPT && (
          <Press
            look="btn-outline-danger"
            icon="trash"
            of={agent.name}
            onPress={begin(() => setDeleting(true))}
          >
            Delete…
          </Press>
        )}
      </div>
      {deleting && (
        <Asked
          title={`Delete the agent ${agent.name}?`}
          words="Delete the agent"
          action={action}
          onYes={() => action.run(() => deleteAgent(agent.id), onDeleted)}
          onClose={() => setDeleting(false)}
        >
          <p>
            Its chats are archived: you can read them, but not continue them. Its schedules and reminders
            stop. The saved logins of its browser are deleted.
          </p>
          <p className="mb-0">
            Nothing is taken out of the log: an agent made again under the id <code>{agent.id}</code> has its
            prompt, tools and files back. To take everything out for good, an operator runs{" "}
            <code>foldline erase</code>.
          </p>
        </Asked>
      )}
    </li>
  );
}
