import { useState } from "react";
import { Checks } from "../../../../components/Check";
import { Field } from "../../../../components/Field";
import { useAction } from "../../../../lib/hooks/useAction";
import { letIn, type McpScope, SCOPES } from "../../api/mcpClients";
import { FormEnd } from "../FormEnd";

interface Props {
  agentId: string;
  onMade: (made: { name: string; token: string }) => void;
  onClose: () => void;
}

/** Lets a program use the agent, for what is ticked. */
export function McpTokenForm({ agentId, onMade, onClose }: Props) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly McpScope[]>(["read", "ask"]);
  const action = useAction();
  return (
    <form
      className="studio-secret-form"
      aria-label="New program"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(
          () => letIn(agentId, name, scopes),
          ({ token }) => onMade({ name, token }),
        );
      }}
    >
      <Field label="Name">
        {(tied) => (
          <input
            {...tied}
            className="form-control"
            value={name}
            required
            pattern="[a-z][a-z0-9\-]{0,23}"
            title="Small letters, digits and -, beginning with a letter"
            spellCheck={false}
            // biome-ignore lint/a11y/noAutofocus: the form appears because the user asked for it
            autoFocus
            onChange={(event) => setName(event.target.value.toLowerCase())}
          />
        )}
      </Field>
      <Checks legend="It may" words={SCOPES} ticked={scopes} onChange={setScopes} />
      <FormEnd
        failure={action.failure}
        working={action.working}
        ready={scopes.length > 0}
        onCancel={onClose}
      />
    </form>
  );
}
