import { useCallback, useState } from "react";
import { CodeBlock } from "../../../components/CodeBlock";
import { Diff } from "../../../components/Diff";
import { Reading } from "../../../components/Reading";
import { pretty } from "../../../lib/jsonText";
import { useRead } from "../../../lib/useRead";
import { readKeys, readValue } from "../api/requests";

/** The agent's state as it was: its keys, each of which opens to its value. */
export function PastValues({ agentId, at }: { agentId: string; at: number }) {
  const read = useRead(useCallback((signal) => readKeys(agentId, at, signal), [agentId, at]));
  return (
    <Reading read={read}>
      {(keys) =>
        keys.length ? (
          keys.map(({ key, version }) => (
            <PastValue key={key} agentId={agentId} at={at} name={key} version={version} />
          ))
        ) : (
          <p className="text-body-secondary">The agent had stored nothing then.</p>
        )
      }
    </Reading>
  );
}

interface Props {
  agentId: string;
  at: number;
  name: string;
  version: number;
}

function PastValue({ agentId, at, name, version }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <details className="seen-part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code>{name}</code> <span className="text-body-secondary small">version {version}</span>
      </summary>
      {open && <ThenAndNow agentId={agentId} at={at} name={name} />}
    </details>
  );
}

function ThenAndNow({ agentId, at, name }: Omit<Props, "version">) {
  const read = useRead(
    useCallback(
      async (signal) => {
        const [past, now] = await Promise.all([
          readValue(agentId, name, at, signal),
          readValue(agentId, name, null, signal),
        ]);
        return { past: text(past), now: text(now) };
      },
      [agentId, name, at],
    ),
  );
  return (
    <Reading read={read}>
      {({ past, now }) => (
        <>
          <CodeBlock label={`Value of ${name}`}>{past}</CodeBlock>
          {past === now ? (
            <p className="small text-body-secondary">It is the same now.</p>
          ) : (
            <Diff before={past} after={now} label={`${name}: then and now`} />
          )}
        </>
      )}
    </Reading>
  );
}

function text(value: unknown): string {
  return value === undefined ? "" : pretty(value);
}
