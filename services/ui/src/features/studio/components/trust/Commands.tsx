import { type FormEvent, useCallback, useId, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { usePages } from "../../../../lib/hooks/usePages";
import { useRead } from "../../../../lib/hooks/useRead";
import { useTicks } from "../../../../lib/hooks/useTicks";
import { historyHref } from "../../../../lib/route";
import type { CommandWorked } from "../../../../lib/wire";
import { bytes, count, fullTime, span } from "../../../../lib/words";
import { type CommandFilter, commandsAsLines, readCommands } from "../../api/commands";
import { ENDINGS, TOUCHES } from "../../fold/leverWords";
import { LeverPages } from "../operating/LeverPages";
import "../../levers.css";

const FRESH_MS = 10_000;
const LONGEST_TEXT = 200;

interface Props {
  agentId: string;
  titleOf: (sessionId: string) => string | null;
}

/** The commands that ran in the name of the agent's calls, and the files that they touched. */
export function Commands({ agentId, titleOf }: Props) {
  const [filter, setFilter] = useState<CommandFilter>({ command: null, file: null, ending: null });
  const pages = usePages<string>();
  const { cursor } = pages;
  const read = useCallback(
    (signal: AbortSignal) => readCommands(agentId, filter, cursor, signal),
    [agentId, filter, cursor],
  );
  const page = useRead(read, useTicks(FRESH_MS));
  const choose = (change: Partial<CommandFilter>) => {
    setFilter({ ...filter, ...change });
    pages.restart();
  };
  const chosen = Object.values(filter).some((one) => one !== null);
  return (
    <div className="studio-scrolls">
      <section className="lever-room" aria-label="What ran">
        <p className="text-body-secondary">
          Commands that this agent ran, with the workspace files that each created, changed, deleted or
          opened. Outside the workspace, commands can read only system programs, libraries and a few setup
          files. In host mode they can open anything. Reads outside the workspace aren't listed. Programs that
          ran under 0.2 s may be missing.
        </p>
        <Filters filter={filter} onChoose={choose} />
        <Reading read={page}>
          {({ commands, next_cursor: older }) => (
            <>
              {commands.length === 0 ? (
                <p role="status">{chosen ? "Nothing fits." : "This agent has run no command."}</p>
              ) : (
                <ul className="lever-list">
                  {commands.map((one) => (
                    <CommandItem
                      key={`${one.session_id} ${one.sequence} ${one.command_id}`}
                      one={one}
                      title={titleOf(one.session_id) ?? one.title ?? "Its chat"}
                    />
                  ))}
                </ul>
              )}
              <LeverPages
                {...{ pages, older, empty: commands.length === 0 }}
                lines={() => commandsAsLines(agentId, filter)}
                name={`what-ran-${agentId}.jsonl`}
              />
            </>
          )}
        </Reading>
      </section>
    </div>
  );
}

function Filters({
  filter,
  onChoose,
}: {
  filter: CommandFilter;
  onChoose: (change: Partial<CommandFilter>) => void;
}) {
  const [command, setCommand] = useState(filter.command ?? "");
  const [path, setPath] = useState(filter.file ?? "");
  const id = useId();
  const search = (event: FormEvent) => {
    event.preventDefault();
    onChoose({ command: command.trim() || null, file: path.trim() || null });
  };
  return (
    <form className="lever-filters" role="search" aria-label="Commands" onSubmit={search}>
      <label className="visually-hidden" htmlFor={`${id}-command`}>
        A part of the command
      </label>
      <input
        id={`${id}-command`}
        type="search"
        className="form-control form-control-sm"
        placeholder="Command"
        maxLength={LONGEST_TEXT}
        value={command}
        onChange={(event) => setCommand(event.target.value)}
      />
      <label className="visually-hidden" htmlFor={`${id}-path`}>
        A part of a file's path
      </label>
      <input
        id={`${id}-path`}
        type="search"
        className="form-control form-control-sm"
        placeholder="File"
        maxLength={LONGEST_TEXT}
        value={path}
        onChange={(event) => setPath(event.target.value)}
      />
      <label className="visually-hidden" htmlFor={`${id}-ending`}>
        How it ended
      </label>
      <select
        id={`${id}-ending`}
        className="form-select form-select-sm"
        value={filter.ending ?? ""}
        onChange={(event) => onChoose({ ending: (event.target.value || null) as CommandFilter["ending"] })}
      >
        <option value="">However it ended</option>
        {Object.entries(ENDINGS).map(([ending, words]) => (
          <option key={ending} value={ending}>
            {words}
          </option>
        ))}
      </select>
      <button type="submit" className="btn btn-sm btn-outline-primary">
        Find
      </button>
    </form>
  );
}

function CommandItem({ one, title }: { one: CommandWorked; title: string }) {
  return (
    <li className="lever-item">
      <p className="lever-item-head">
        <code className="lever-words">{one.command}</code>
        <span className="badge studio-badge">
          {ENDINGS[one.ending]}
          {one.exit_code !== null && ` · exit code ${one.exit_code}`}
        </span>
      </p>
      <p className="lever-item-head text-body-secondary small">
        <span>{span(one.duration_ms)}</span>
        {one.programs.length > 0 && <span>ran {one.programs.join(", ")}</span>}
        {one.tool && <code>{one.tool}</code>}
        <span>{fullTime(one.at)}</span>
        <a href={historyHref(one.session_id, one.sequence)}>{title}</a>
      </p>
      <Files one={one} />
    </li>
  );
}

function Files({ one }: { one: CommandWorked }) {
  if (one.files.length === 0 && one.saw_all) return null;
  const all = one.files.length + one.more_files;
  return (
    <details className="small">
      <summary>
        {count(all)} {all === 1 ? "file" : "files"} of the workspace
      </summary>
      <ul className="lever-lines">
        {one.files.map((file) => (
          <li key={`${file.touch} ${file.path}`}>
            {TOUCHES[file.touch]} <code>{file.path}</code>
            {file.size > 0 && `, ${bytes(file.size)}`}
          </li>
        ))}
        {one.more_files > 0 && <li>and {count(one.more_files)} more</li>}
        {!one.saw_all && <li>It opened more files than Foldline could record.</li>}
      </ul>
    </details>
  );
}
