import { useState } from "react";
import { useAction } from "../../../../lib/hooks/useAction";
import type { McpServer } from "../../../../lib/wire";
import { beginMcpLogin, endMcpLogin } from "../../api/mcp";
import { Failure, Press } from "../controls";

interface Props {
  agentId: string;
  server: McpServer;
  onDone: () => void;
}

/** A person's login at a server. The page to log in at is shown whole, and opens by a click alone. */
export function McpLogin({ agentId, server: { name, enabled, status }, onDone }: Props) {
  const [begun, setBegun] = useState<{ url: string; issuer: string; state: string } | null>(null);
  const action = useAction();
  const needed = enabled && status?.state === "needs_login";
  const issuer = status?.login ?? "";
  if (!needed && !issuer) return <Failure failure={action.failure} />;
  // Whoever logged in meanwhile, or was logged out again, needs another page.
  const page = begun?.state === status?.changed_at && needed ? begun : null;
  return (
    <>
      {issuer && (
        <p className="lever-words small" dir="auto">
          You are logged in at {issuer}.
        </p>
      )}
      {page && (
        <div className="alert alert-info" role="status">
          <p>
            Log in on this page of <code dir="ltr">{page.issuer}</code> within ten minutes. Look at its
            address first:
          </p>
          <p className="lever-words small">
            <code dir="ltr">{page.url}</code>
          </p>
          <a className="btn btn-sm btn-primary" href={page.url} target="_blank" rel="noopener noreferrer">
            Open the page<span className="visually-hidden"> to log in for {name}</span>
          </a>
        </div>
      )}
      <div className="studio-buttons">
        {needed && !page && (
          <Press
            look="btn-primary"
            of={`for ${name}`}
            disabled={action.working}
            onPress={() =>
              action.run(
                () => beginMcpLogin(agentId, name),
                (found) => (found.url ? setBegun({ ...found, state: status?.changed_at ?? "" }) : onDone()),
              )
            }
          >
            Log in
          </Press>
        )}
        {issuer && (
          <Press
            of={`for ${name}`}
            disabled={action.working}
            onPress={() => action.run(() => endMcpLogin(agentId, name), onDone)}
          >
            Log out
          </Press>
        )}
      </div>
      <Failure failure={action.failure} />
    </>
  );
}
