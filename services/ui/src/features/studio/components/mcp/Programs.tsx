import { useState } from "react";
import { Check, Checks } from "../../../../components/Check";
import { CopyButton } from "../../../../components/CopyButton";
import { useAction } from "../../../../lib/hooks/useAction";
import { useReadOf } from "../../../../lib/hooks/useRead";
import { messageOf } from "../../../../lib/problems";
import {
  expose,
  letIn,
  type ProgramRight,
  RIGHTS,
  readExposed,
  readPrograms,
  revoke,
  rightWords,
} from "../../api/mcp";
import { Form, FormEnd, Press, TextField } from "../controls";
import { LineRow, whenWords } from "../rows";

/** The programs that may use the agent: who they are, and no longer; and the tools that they may run. */
export function Programs({ agentId, tools }: { agentId: string; tools: readonly string[] }) {
  const read = useReadOf(readPrograms, [agentId]);
  const [adding, setAdding] = useState(false);
  const [token, setToken] = useState<{ name: string; token: string } | null>(null);
  const action = useAction();
  const failure = action.failure ?? read.failure;
  return (
    <section className="studio-secrets" aria-label="Programs">
      <h2 className="fs-6">Programs that use this agent</h2>
      <p className="text-body-secondary">
        Each program gets its own token for the API and MCP, with the rights you tick. Its messages carry its
        name. A program that may answer approvals can allow its own calls.
      </p>
      {failure !== null && (
        <p className="text-problem" role="alert">
          {messageOf(failure)}
        </p>
      )}
      {read.value?.length === 0 && <p role="status">No programs yet.</p>}
      <ul className="studio-secret-list" aria-label="Programs with a token">
        {read.value?.map(({ name, rights, created_at, agent_id, service }) => (
          <LineRow
            key={name}
            name={<code>{name}</code>}
            about={`${service ? "a service, which gets a new token at the next start; " : ""}may ${rightWords(rights)}${agent_id === null ? "; of any agent" : ""}`}
            when={whenWords(created_at)}
          >
            <Press
              look="btn-outline-danger"
              icon="trash"
              of={name}
              disabled={action.working}
              onPress={() => action.run(() => revoke(name), read.again)}
            >
              Revoke
            </Press>
          </LineRow>
        ))}
      </ul>
      {token && (
        <div className="alert alert-info" role="status">
          <p>Copy the token of {token.name} now: it isn't shown again.</p>
          <p className="studio-token">
            <code>{token.token}</code>
            <CopyButton text={() => token.token} words="Copy the token" label="Copy" />
          </p>
        </div>
      )}
      {adding ? (
        <ProgramForm
          agentId={agentId}
          onMade={(made) => {
            setToken(made);
            setAdding(false);
            read.again();
          }}
          onClose={() => setAdding(false)}
        />
      ) : (
        <Press large look="btn-outline-primary" icon="plus" onPress={() => setAdding(true)}>
          Let a program in
        </Press>
      )}
      <ExposedTools agentId={agentId} tools={tools} />
    </section>
  );
}

interface FormProps {
  agentId: string;
  onMade: (made: { name: string; token: string }) => void;
  onClose: () => void;
}

/** Lets a program use the agent, for what is ticked. */
function ProgramForm({ agentId, onMade, onClose }: FormProps) {
  const [name, setName] = useState("");
  const [rights, setRights] = useState<readonly ProgramRight[]>(["read", "say"]);
  const action = useAction();
  return (
    <Form
      label="New program"
      onSubmit={() =>
        action.run(
          () => letIn(agentId, name, rights),
          ({ token }) => onMade({ name, token }),
        )
      }
    >
      <TextField
        label="Name"
        value={name}
        required
        pattern="[a-z][a-z0-9\-]{0,23}"
        title="Small letters, digits and -, beginning with a letter"
        autoFocus
        onText={(text) => setName(text.toLowerCase())}
      />
      <Checks legend="It may" words={RIGHTS} ticked={rights} onChange={setRights} />
      <FormEnd
        failure={action.failure}
        working={action.working}
        ready={rights.length > 0}
        onCancel={onClose}
      />
    </Form>
  );
}

/** Which of the agent's own tools programs may run. */
function ExposedTools({ agentId, tools }: { agentId: string; tools: readonly string[] }) {
  const read = useReadOf(readExposed, [agentId]);
  const action = useAction();
  const chosen = read.value;
  const failure = action.failure ?? read.failure;
  if (tools.length === 0) return null;
  return (
    <fieldset className="studio-exposed">
      <legend className="studio-subtitle">Exposed tools</legend>
      <p className="text-body-secondary">Programs may run the tools that you tick.</p>
      {failure !== null && (
        <p className="text-problem" role="alert">
          {messageOf(failure)}
        </p>
      )}
      {chosen &&
        tools.map((name) => (
          <Check
            key={name}
            disabled={action.working}
            checked={chosen.names.includes(name)}
            onChange={(on) => {
              const others = chosen.names.filter((other) => other !== name);
              const names = on ? [...others, name] : others;
              action.run(() => expose(agentId, names, chosen.version), read.again, read.again);
            }}
          >
            <code>{name}</code>
            {chosen.offered_as[name] !== undefined && (
              <span className="text-body-secondary"> {offeredWords(chosen.offered_as[name])}</span>
            )}
          </Check>
        ))}
    </fieldset>
  );
}

function offeredWords(offeredAs: string): string {
  return offeredAs === "prompt" ? "as a prompt" : `at ${offeredAs}`;
}
