import { useCallback, useId } from "react";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { messageOf } from "../../../../lib/problems";
import { expose, readExposed } from "../../api/mcpClients";

/** Which of the agent's own tools programs may run. */
export function ExposedTools({ agentId, tools }: { agentId: string; tools: readonly string[] }) {
  const id = useId();
  const read = useRead(useCallback((signal: AbortSignal) => readExposed(agentId, signal), [agentId]));
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
          <div key={name} className="form-check">
            <input
              id={`${id}-${name}`}
              className="form-check-input"
              type="checkbox"
              disabled={action.working}
              checked={chosen.names.includes(name)}
              onChange={(event) => {
                const others = chosen.names.filter((other) => other !== name);
                const names = event.target.checked ? [...others, name] : others;
                action.run(() => expose(agentId, names, chosen.version), read.again, read.again);
              }}
            />
            <label className="form-check-label" htmlFor={`${id}-${name}`}>
              <code>{name}</code>
            </label>
            {chosen.offered_as[name] !== undefined && (
              <span className="text-body-secondary"> {offeredWords(chosen.offered_as[name])}</span>
            )}
          </div>
        ))}
    </fieldset>
  );
}

function offeredWords(offeredAs: string): string {
  return offeredAs === "prompt" ? "as a prompt" : `at ${offeredAs}`;
}
