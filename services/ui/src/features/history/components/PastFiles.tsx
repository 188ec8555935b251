import { useCallback } from "react";
import { FileCard } from "../../../components/FileCard";
import { Reading } from "../../../components/Reading";
import { useRead } from "../../../lib/useRead";
import { readFiles } from "../api/requests";
import { sinceThen } from "../fold/files";

interface Props {
  agentId: string;
  sessionId: string;
  at: number;
}

/** The files that the session saw then, and what has become of each. */
export function PastFiles({ agentId, sessionId, at }: Props) {
  const read = useRead(
    useCallback(
      async (signal) => {
        const [then, now] = await Promise.all([
          readFiles(agentId, sessionId, at, signal),
          readFiles(agentId, sessionId, null, signal),
        ]);
        return sinceThen(then, now);
      },
      [agentId, sessionId, at],
    ),
  );
  return (
    <Reading read={read}>
      {(rows) => (
        <>
          {rows.length === 0 && <p className="text-body-secondary">There were no files then.</p>}
          <ul className="past-files">
            {rows.map(({ file, since }) => (
              <li key={file.file_id}>
                <FileCard file={file} />{" "}
                {since && <span className="small text-body-secondary">since then {since}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </Reading>
  );
}
