import { Check } from "../../../../components/Check";
import { Diff } from "../../../../components/Diff";
import { CodeBlock } from "../../../../components/markdown/CodeBlock";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useReadOf } from "../../../../lib/hooks/useRead";
import type { McpTool } from "../../../../lib/wire";
import { fullTime } from "../../../../lib/words";
import { acceptMcpTools, readMcpTools, type ToldOfTools } from "../../api/mcp";
import { definitionText, standingWords } from "../../fold/mcp";
import { Failure, Press } from "../controls";

interface Props {
  agentId: string;
  name: string;
  revision: string;
  onDone: () => void;
}

/** What a server says of its tools, and what of it a person accepts. What can't be seen is spelled out. */
export function McpToolList({ agentId, name, revision, onDone }: Props) {
  const read = useReadOf(readMcpTools, [agentId, name], revision);
  const action = useAction();
  return (
    <Reading read={read}>
      {({
        version,
        items: tools,
        gone,
        left_out: leftOut,
        incomplete,
        known_as: known,
        calls_itself: now,
      }) => {
        const told = (what: ToldOfTools) =>
          action.run(
            () => acceptMcpTools(agentId, name, version ?? 0, what),
            () => {
              read.again();
              onDone();
            },
          );
        return (
          <>
            {tools.length === 0 && (
              <p role="status">The server hasn't listed any tools yet. Press Test to connect with it.</p>
            )}
            {known && now && known !== now && (
              <p className="text-problem">
                It called itself {known} when you accepted it, and calls itself {now} now.
              </p>
            )}
            <ul className="lever-list lever-inner">
              {tools.map((tool) => (
                <Tool key={tool.name} tool={tool} working={action.working} onTold={told} />
              ))}
              {gone.map((one) => (
                <li key={one} className="lever-item">
                  <code>{one}</code> was accepted, but the server no longer has it
                </li>
              ))}
            </ul>
            {!!leftOut && (
              <p className="small text-problem">
                {leftOut} more tools were left out, since there is no room for them.
              </p>
            )}
            {incomplete && <p className="small text-problem">The list may not be complete: {incomplete}.</p>}
            {version !== null && tools.some((one) => one.standing !== "offered" && !one.flaw) && (
              <Press look="btn-primary" disabled={action.working} onPress={() => told({ accept: null })}>
                Accept all tools of {name} as shown
              </Press>
            )}
            <Failure failure={action.failure} />
          </>
        );
      }}
    </Reading>
  );
}

interface ToolProps {
  tool: McpTool;
  working: boolean;
  onTold: (what: ToldOfTools) => void;
}

function Tool({ tool, working, onTold }: ToolProps) {
  const { name, standing, read_only: readOnly, now, before, flaw } = tool;
  return (
    <li className="lever-item" aria-label={name}>
      <p className="lever-item-head">
        <code>{name}</code>
        <span className="badge studio-badge">{standingWords(tool)}</span>
      </p>
      {flaw && <p className="small text-problem">{flaw}</p>}
      {before ? (
        <Diff
          before={definitionText(before)}
          after={definitionText(now)}
          label={`${name}: as you accepted it, and now`}
        />
      ) : (
        <CodeBlock label={`What the server says of ${name}`}>{definitionText(now)}</CodeBlock>
      )}
      {before?.page && now.page && before.page.sha256 !== now.page.sha256 && (
        <p className="small">
          Its app's page is another one than you accepted, so the app isn't drawn. Listed then{" "}
          {fullTime(before.page.listed_at)}, now {fullTime(now.page.listed_at)}.
        </p>
      )}
      <div className="studio-buttons">
        {standing === "offered" ? (
          <>
            <Press disabled={working} onPress={() => onTold({ accept: [], refuse: [name] })}>
              Stop offering {name}
            </Press>
            <Check
              checked={readOnly}
              disabled={working}
              onChange={(on) => onTold({ accept: [], read_only: { [name]: on } })}
            >
              {name} only reads: run it without asking
            </Check>
          </>
        ) : (
          !flaw && (
            <Press look="btn-outline-primary" disabled={working} onPress={() => onTold({ accept: [name] })}>
              Accept {name}
            </Press>
          )
        )}
      </div>
    </li>
  );
}
