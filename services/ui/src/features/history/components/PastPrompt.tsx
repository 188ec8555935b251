import { useCallback } from "react";
import { CodeBlock } from "../../../components/CodeBlock";
import { Diff } from "../../../components/Diff";
import { Reading } from "../../../components/Reading";
import { useRead } from "../../../lib/useRead";
import { readText } from "../api/requests";

/** The agent's prompt and its learned notes as they were, and how they are now. */
export function PastPrompt({ agentId, at }: { agentId: string; at: number }) {
  return (
    <>
      <PastText agentId={agentId} at={at} which="prompt" name="System prompt" />
      <PastText agentId={agentId} at={at} which="notes" name="Learned notes" />
    </>
  );
}

interface Props {
  agentId: string;
  at: number;
  which: "prompt" | "notes";
  name: string;
}

function PastText({ agentId, at, which, name }: Props) {
  const read = useRead(
    useCallback(
      async (signal) => {
        const [past, now] = await Promise.all([
          readText(agentId, which, at, signal),
          readText(agentId, which, null, signal),
        ]);
        return { past, now };
      },
      [agentId, which, at],
    ),
  );
  return (
    <section>
      <h2 className="fs-6">{name}</h2>
      <Reading read={read}>
        {({ past, now }) => (
          <>
            {past.text ? <CodeBlock label={name}>{past.text}</CodeBlock> : <p>Empty then.</p>}
            {past.text === now.text ? (
              <p className="small text-body-secondary">It is the same now.</p>
            ) : (
              <details open>
                <summary>What changed since then</summary>
                <Diff before={past.text} after={now.text} label={`${name}: then and now`} />
              </details>
            )}
          </>
        )}
      </Reading>
    </section>
  );
}
