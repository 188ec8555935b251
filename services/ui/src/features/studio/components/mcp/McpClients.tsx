import { useCallback, useState } from "react";
import { CopyButton } from "../../../../components/CopyButton";
import { Icon } from "../../../../components/Icon";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { messageOf } from "../../../../lib/problems";
import { clockTime, dayWords } from "../../../../lib/words";
import { readMcpClients, revoke, scopeWords } from "../../api/mcpClients";
import { ExposedTools } from "./ExposedTools";
import { McpTokenForm } from "./McpTokenForm";

/** The programs that may use the agent by MCP: who they are, and no longer; and the tools that they may run. */
export function McpClients({ agentId, tools }: { agentId: string; tools: readonly string[] }) {
  const read = useRead(useCallback((signal: AbortSignal) => readMcpClients(agentId, signal), [agentId]));
  const [adding, setAdding] = useState(false);
  const [token, setToken] = useState<{ name: string; token: string } | null>(null);
  const action = useAction();
  const failure = action.failure ?? read.failure;
  return (
    <section className="studio-secrets" aria-label="Programs">
      <h2 className="fs-6">Programs that use this agent by MCP</h2>
      <p className="text-body-secondary">
        Each program gets its own token and the rights you tick. Its messages carry its name. Approvals still
        apply.
      </p>
      {failure !== null && (
        <p className="text-problem" role="alert">
          {messageOf(failure)}
        </p>
      )}
      {read.value?.length === 0 && <p role="status">No programs yet.</p>}
      <ul className="studio-secret-list" aria-label="Programs with a token">
        {read.value?.map(({ name, scopes, created_at }) => (
          <li key={name} className="studio-secret">
            <div className="studio-secret-what">
              <code>{name}</code>
              <span className="studio-secret-hosts">may {scopeWords(scopes)}</span>
              <span className="studio-item-when">
                {dayWords(created_at, new Date())} {clockTime(created_at)}
              </span>
            </div>
            <div className="studio-actions">
              <button
                type="button"
                className="btn btn-sm btn-outline-danger"
                disabled={action.working}
                onClick={() => action.run(() => revoke(name), read.again)}
              >
                <Icon name="trash" size={14} /> Revoke<span className="visually-hidden"> {name}</span>
              </button>
            </div>
          </li>
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
        <McpTokenForm
          agentId={agentId}
          onMade={(made) => {
            setToken(made);
            setAdding(false);
            read.again();
          }}
          onClose={() => setAdding(false)}
        />
      ) : (
        <button type="button" className="btn btn-outline-primary" onClick={() => setAdding(true)}>
          <Icon name="plus" size={14} /> Let a program in
        </button>
      )}
      <ExposedTools agentId={agentId} tools={tools} />
    </section>
  );
}
