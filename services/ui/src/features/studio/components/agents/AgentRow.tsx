import { useState } from "react";
import Modal from "react-bootstrap/Modal";
import { Icon } from "../../../../components/Icon";
import { useAction } from "../../../../lib/hooks/useAction";
import { studioHref } from "../../../../lib/route";
import type { Agent } from "../../../../lib/wire";
import { deleteAgent, renameAgent } from "../../api/agents";
import { Failure } from "../Failure";

interface Props {
  agent: Agent;
  current: boolean;
  /** What it used, in words. */
  used: string;
  onChanged: () => void;
  onDeleted: () => void;
}

/** The agent that is always there. */
const KEPT = "default";

/** One agent, with what can be done to it. */
export function AgentRow({ agent, current, used, onChanged, onDeleted }: Props) {
  const [name, setName] = useState<string | null>(null);
  const [deleting, setDeleting] = useState(false);
  const action = useAction();
  return (
    <li className="studio-secret">
      {name === null ? (
        <div className="studio-secret-what">
          <a href={studioHref(agent.id, "agents")} aria-current={current ? "true" : undefined}>
            {agent.name}
          </a>
          <code>{agent.id}</code>
          <span className="studio-secret-hosts">{used}</span>
        </div>
      ) : (
        <form
          className="setting-value"
          aria-label={`Rename ${agent.name}`}
          onSubmit={(event) => {
            event.preventDefault();
            action.run(
              () => renameAgent(agent.id, name.trim()),
              () => {
                setName(null);
                onChanged();
              },
            );
          }}
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
          <button
            type="submit"
            className="btn btn-sm btn-primary"
            disabled={action.working || !name.trim() || name.trim() === agent.name}
          >
            Save
          </button>
          <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => setName(null)}>
            Cancel
          </button>
        </form>
      )}
      {name === null && (
        <div className="studio-actions">
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            onClick={() => {
              action.forget();
              setName(agent.name);
            }}
          >
            Rename…<span className="visually-hidden"> {agent.name}</span>
          </button>
          {agent.id !== KEPT && (
            <button
              type="button"
              className="btn btn-sm btn-outline-danger"
              onClick={() => {
                action.forget();
                setDeleting(true);
              }}
            >
              <Icon name="trash" size={14} /> Delete…<span className="visually-hidden"> {agent.name}</span>
            </button>
          )}
        </div>
      )}
      {name !== null && <Failure failure={action.failure} />}
      {deleting && (
        <Modal show onHide={() => setDeleting(false)} aria-labelledby="delete-agent-title">
          <Modal.Header closeButton>
            <Modal.Title as="h2" className="fs-5" id="delete-agent-title">
              Delete the agent {agent.name}?
            </Modal.Title>
          </Modal.Header>
          <Modal.Body>
            <p>
              Its chats are archived: you can read them, but not continue them. Its schedules and reminders
              stop. The saved logins of its browser are deleted.
            </p>
            <p className="mb-0">
              Nothing is taken out of the log: an agent made again under the id <code>{agent.id}</code> has
              its prompt, tools and files back. To take everything out for good, an operator runs{" "}
              <code>foldline erase</code>.
            </p>
            <Failure failure={action.failure} />
          </Modal.Body>
          <Modal.Footer>
            <button type="button" className="btn btn-outline-secondary" onClick={() => setDeleting(false)}>
              Cancel
            </button>
            <button
              type="button"
              className="btn btn-danger"
              disabled={action.working}
              onClick={() => action.run(() => deleteAgent(agent.id), onDeleted)}
            >
              {action.working ? "Deleting…" : "Delete the agent"}
            </button>
          </Modal.Footer>
        </Modal>
      )}
    </li>
  );
}
