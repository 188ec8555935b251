import type { CommandRecord } from "../../../../lib/wire";
import { bytes, count, span } from "../../../../lib/words";
import type { DoneList } from "../../fold/lists";
import { ENDINGS, TOUCHES } from "../../fold/operating";

/** The commands that ran in the name of the agent's calls, and the files that they touched. */
const COMMANDS: DoneList<CommandRecord> = {
  name: "commands",
  title: "What ran",
  order: 2,
  about:
    "Commands that this agent ran, with the workspace files that each created, changed, deleted or opened. Outside the workspace, commands can read only system programs, libraries and a few setup files. In host mode they can open anything. Reads outside the workspace aren't listed. Programs that ran under 0.2 s may be missing.",
  none: "This agent has run no command.",
  narrowing: {
    label: "Commands",
    texts: [
      { key: "command", label: "A part of the command", hint: "Command", longest: 200 },
      { key: "file", label: "A part of a file's path", hint: "File", longest: 200 },
    ],
    choice: { key: "ending", label: "How it ended", any: "However it ended", words: ENDINGS },
  },
  saved: "what-ran",
  what: ({ command }) => command,
  badge: ({ ending, exit_code: code }) => (
    <>
      {ENDINGS[ending]}
      {code !== null && ` · exit code ${code}`}
    </>
  ),
  facts: ({ duration_ms: ms, programs }) => (
    <>
      <span>{span(ms)}</span>
      {programs.length > 0 && <span>ran {programs.join(", ")}</span>}
    </>
  ),
  below: (one) => <Files one={one} />,
};

export default COMMANDS;

function Files({ one: { files, more_files: more, saw_all: sawAll } }: { one: CommandRecord }) {
  if (files.length === 0 && sawAll) return null;
  const all = files.length + more;
  return (
    <details className="small">
      <summary>
        {count(all)} {all === 1 ? "file" : "files"} of the workspace
      </summary>
      <ul className="lever-lines">
        {files.map((file) => (
          <li key={`${file.touch} ${file.path}`}>
            {TOUCHES[file.touch]} <code>{file.path}</code>
            {file.size > 0 && `, ${bytes(file.size)}`}
          </li>
        ))}
        {more > 0 && <li>and {count(more)} more</li>}
        {!sawAll && <li>It opened more files than Foldline could record.</li>}
      </ul>
    </details>
  );
}
