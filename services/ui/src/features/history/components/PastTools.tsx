import { useCallback } from "react";
import { Reading } from "../../../components/Reading";
import { type OfferedTool, readModelCall } from "../../../lib/modelCall";
import { useRead } from "../../../lib/useRead";

interface Props {
  sessionId: string;
  /** The newest model call then, from 1; 0: the model had not been asked yet. */
  number: number;
}

/** The tools that the model was offered in its newest call then. */
export function PastTools({ sessionId, number }: Props) {
  const read = useRead(
    useCallback(
      async (signal): Promise<OfferedTool[]> =>
        number ? ((await readModelCall(sessionId, String(number), signal)).request?.tools ?? []) : [],
      [sessionId, number],
    ),
  );
  if (!number) return <p className="text-body-secondary">The model had not been called yet.</p>;
  return (
    <Reading read={read}>
      {(tools) => (
        <>
          <p className="small text-body-secondary">What the model was offered in call {number}:</p>
          <ul className="past-tools">
            {tools.map(({ name, description }) => (
              <li key={name}>
                <code>{name}</code> <span className="text-body-secondary">{description}</span>
              </li>
            ))}
          </ul>
          {tools.length === 0 && <p>The call offered no tools, or its request was not recorded.</p>}
        </>
      )}
    </Reading>
  );
}
