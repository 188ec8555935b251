import type { CommandRecord } from "../../../../lib/wire";
import { bytes, count, span } from "../../../../lib/words";
import { type CommandFilter, readCommands, type Wanted } from "../../api/operating";
import { ENDINGS, TOUCHES } from "../../fold/operating";
import type { InRoom } from "../controls";
import { Done, type Narrowing, type Page, Records } from "./Records";

type Props = Pick<InRoom, "agentId" | "titleOf">;

const NO_COMMANDS: CommandFilter = { command: null, file: null, ending: null };
const COMMAND_NARROWING: Narrowing<CommandFilter> = {
  label: "Commands",
  texts: [
    { key: "command", label: "A part of the command", hint: "Command", longest: 200 },
    { key: "file", label: "A part of a file's path", hint: "File", longest: 200 },
  ],
  choice: { key: "ending", label: "How it ended", any: "However it ended", words: ENDINGS },
};

const readCommandPage = async (
  agentId: string,
  filter: CommandFilter,
  wanted: Wanted,
): Promise<Page<CommandRecord>> => {
  const { commands, next_cursor } = await readCommands(agentId, filter, wanted);
  return { rows: commands, next: next_cursor };
};

/** The commands that ran in the name of the agent's calls, and the files that they touched. */
export function Commands({ agentId, titleOf }: Props) {
  return (
    <Records
      agentId={agentId}
      label="What ran"
      about="Commands that this agent ran, with the workspace files that each created, changed, deleted or opened. Outside the workspace, commands can read only system programs, libraries and a few setup files. In host mode they can open anything. Reads outside the workspace aren't listed. Programs that ran under 0.2 s may be missing."
      none="This agent has run no command."
      any={NO_COMMANDS}
      narrowing={COMMAND_NARROWING}
      read={readCommandPage}
      name="what-ran"
    >
      {(commands) =>
        commands.map((one) => (
          <li key={`${one.session_id} ${one.sequence} ${one.command_id}`} className="lever-item">
            <p className="lever-item-head">
              <code className="lever-words">{one.command}</code>
              <span className="badge studio-badge">
                {ENDINGS[one.ending]}
                {one.exit_code !== null && ` · exit code ${one.exit_code}`}
              </span>
            </p>
            <Done one={one} titleOf={titleOf}>
              <span>{span(one.duration_ms)}</span>
              {one.programs.length > 0 && <span>ran {one.programs.join(", ")}</span>}
            </Done>
            <Files one={one} />
          </li>
        ))
      }
    </Records>
  );
}

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
