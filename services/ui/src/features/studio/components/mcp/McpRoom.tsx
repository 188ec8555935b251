import { useState } from "react";
import { Check } from "../../../../components/Check";
import { CodeBlock } from "../../../../components/markdown/CodeBlock";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useReadOf } from "../../../../lib/hooks/useRead";
import { useTicks } from "../../../../lib/hooks/useTicks";
import type { McpServer } from "../../../../lib/wire";
import {
  allowMcpServer,
  importMcpServers,
  readMcpServers,
  restoreMcpServer,
  testMcpServer,
} from "../../api/mcp";
import { remove, save } from "../../api/things";
import { serversIn, stateWords, whatWords } from "../../fold/mcp";
import { pagedKind } from "../../fold/shelves";
import { Failure, Form, Press, Room, TextField } from "../controls";
import { Delete } from "../deleting";
import { McpLogin } from "./McpLogin";
import { McpToolList } from "./McpToolList";

const FRESH_MS = 10_000;
const EXAMPLE = '{"notes": {"command": "notes-server", "args": ["notes.db"]}}';

/** The foreign servers of tools that the agent may use. Only people add, accept and remove here. */
export function McpRoom({ agentId, revision }: { agentId: string; revision: string }) {
  const read = useReadOf(readMcpServers, [agentId], `${revision} ${useTicks(FRESH_MS)}`);
  const [removed, setRemoved] = useState<McpServer | null>(null);
  return (
    <Room
      label="MCP servers"
      about="MCP servers give this agent tools of other programs. It gets only the tools that you accept. If a server changes one, that tool waits until you accept it again. The agent can't change anything here."
    >
      <Reading read={read}>
        {(servers) => (
          <>
            {removed && !servers.some(({ name }) => name === removed.name) && (
              <Removed agentId={agentId} server={removed} onDone={read.again} />
            )}
            {servers.length === 0 && !removed && <p role="status">No servers yet.</p>}
            <ul className="lever-list">
              {servers.map((server) => (
                <Server
                  key={server.name}
                  agentId={agentId}
                  server={server}
                  onDone={read.again}
                  onRemoved={() => {
                    setRemoved(server);
                    read.again();
                  }}
                />
              ))}
            </ul>
            <Add agentId={agentId} onDone={read.again} />
          </>
        )}
      </Reading>
    </Room>
  );
}

interface Props {
  agentId: string;
  server: McpServer;
  onDone: () => void;
}

/** A server that was just removed: it can be had back, as it was. */
function Removed({ agentId, server: { name, version }, onDone }: Props) {
  const action = useAction();
  return (
    <div className="lever-item" role="status">
      <p className="mb-2">
        <strong>{name}</strong> is removed.
      </p>
      <Press
        of={`: have ${name} back`}
        disabled={action.working}
        onPress={() => action.run(() => restoreMcpServer(agentId, name, version), onDone)}
      >
        Undo
      </Press>
      <Failure failure={action.failure} />
    </div>
  );
}

function Server({ agentId, server, onDone, onRemoved }: Props & { onRemoved: () => void }) {
  const [open, setOpen] = useState(false);
  const action = useAction();
  const { name, status, enabled, transport, timeout_s, sampling = false, version } = server;
  const place = { agentId, kind: pagedKind("mcp_server"), name };
  const switched = { transport, timeout_s, sampling, enabled: !enabled };
  const troubled = enabled && status?.state === "error";
  const waits = enabled && status?.state === "changed";
  const buttons: [string, () => Promise<unknown>][] = [
    ["Test", () => testMcpServer(agentId, name)],
    [enabled ? "Switch off" : "Switch on", () => save(place, switched, version)],
  ];
  return (
    <li className="lever-item" aria-label={name}>
      <h2 className="studio-subtitle">{name}</h2>
      <p className="lever-words small">
        <code dir="auto">{whatWords(server)}</code>
      </p>
      <p className={`lever-words ${troubled ? "text-problem" : ""}`} role="status" dir="auto">
        {stateWords(server)}
      </p>
      {status?.stderr && <CodeBlock label={`What ${name} wrote last`}>{status.stderr}</CodeBlock>}
      {status?.lacks?.map((lack) => (
        <p key={lack} className="small text-problem">
          This system can't confine it as it should: {lack}
        </p>
      ))}
      <div className="studio-buttons">
        <Press
          look={waits ? "btn-primary" : "btn-outline-secondary"}
          of={`of ${name}`}
          aria-expanded={open}
          onPress={() => setOpen(!open)}
        >
          Tools ({server.accepted} accepted)
        </Press>
        {status?.needs && (
          <Press
            look="btn-outline-danger"
            disabled={action.working}
            onPress={() =>
              action.run(() => allowMcpServer(agentId, name, { [status.needs ?? ""]: true }), onDone)
            }
          >
            {status.needs === "private" ? "Allow it in this network" : "Allow it to run unconfined"}
          </Press>
        )}
        {buttons.map(([words, done]) => (
          <Press key={words} of={name} disabled={action.working} onPress={() => action.run(done, onDone)}>
            {words}
          </Press>
        ))}
        <Delete kind={place.kind} name={name} of={name} remove={() => remove(place)} onDone={onRemoved}>
          Remove
        </Delete>
      </div>
      <Failure failure={action.failure} />
      <div className="my-2">
        <Check
          checked={sampling}
          disabled={action.working}
          onChange={(on) => action.run(() => allowMcpServer(agentId, name, { sampling: on }), onDone)}
        >
          {name} may ask a model during a call (costs tokens)
        </Check>
      </div>
      <McpLogin agentId={agentId} server={server} onDone={onDone} />
      {open && (
        <McpToolList
          agentId={agentId}
          name={name}
          revision={`${version} ${status?.changed_at}`}
          onDone={onDone}
        />
      )}
    </li>
  );
}

function Add({ agentId, onDone }: { agentId: string; onDone: () => void }) {
  const [text, setText] = useState("");
  const action = useAction();
  return (
    <Form
      label="Add servers"
      onSubmit={() =>
        action.run(
          async () => importMcpServers(agentId, serversIn(text)),
          () => {
            setText("");
            onDone();
          },
        )
      }
    >
      <h2 className="studio-subtitle">Add servers</h2>
      <TextField
        label={
          <>
            As JSON, like <code>mcpServers</code> of other programs
          </>
        }
        help={
          <>
            What you write here stays in the log. Keep keys as secrets, and write{" "}
            <code>{"{{secret:NAME}}"}</code> in <code>env</code> or <code>headers</code>.
          </>
        }
        className="font-monospace"
        rows={4}
        required
        placeholder={EXAMPLE}
        value={text}
        onText={setText}
      />
      <div className="studio-buttons">
        <Press type="submit" look="btn-primary" disabled={action.working}>
          Add
        </Press>
      </div>
      <Failure failure={action.failure} />
    </Form>
  );
}
