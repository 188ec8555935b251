import { useEffect, useRef } from "react";
import { Icon } from "../../../../components/Icon";
import type { McpPrompt } from "../../../../lib/wire";
import type { PromptsMenu } from "./usePrompts";

export const MENU_ID = "composer-prompts";
export const optionId = (at: number) => `${MENU_ID}-${at}`;

interface Props {
  menu: PromptsMenu;
  onChoose: (prompt: McpPrompt) => void;
}

/** The prompts that fit what is typed after a `/`. The focus stays in the box; arrows point, Enter takes. */
export function PromptMenu({
  menu: { offered, more, waits, silent, flaws, problem, at, pointAt },
  onChoose,
}: Props) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is pointed at is in sight
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView?.({ block: "nearest" });
  }, [at]);
  if (offered === null) return null;
  const count = offered.length + more;
  return (
    <div className="prompt-menu">
      <span className="visually-hidden" role="status">
        {count === 0 ? "No prompt fits." : `${count} ${count === 1 ? "prompt" : "prompts"}. Enter takes one.`}
      </span>
      {offered.length > 0 && (
        <div
          ref={list}
          id={MENU_ID}
          role="listbox"
          aria-label="Prompts of MCP servers"
          className="prompt-list"
        >
          {offered.map((prompt, place) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the box's
            <div
              key={`${prompt.server} ${prompt.name}`}
              id={optionId(place)}
              role="option"
              tabIndex={-1}
              aria-selected={place === at}
              className="prompt-option"
              onMouseMove={() => place === at || pointAt(place)}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onChoose(prompt)}
            >
              <span className="prompt-name">
                {prompt.name} <span className="prompt-server">{prompt.server}</span>
              </span>
              <span className="prompt-words">{prompt.description || prompt.title}</span>
            </div>
          ))}
        </div>
      )}
      {more > 0 && <p className="prompt-note">{more} more: type on.</p>}
      {waits && <p className="prompt-note">Asking the MCP servers …</p>}
      {problem !== null && <p className="prompt-note text-problem">{problem}</p>}
      {flaws.map(({ server, what }) => (
        <p key={`${server} ${what}`} className="prompt-note">
          <Icon name="warning" size={13} /> {server}: {what}
        </p>
      ))}
      {silent.map(({ server, why }) => (
        <p key={server} className="prompt-note">
          <Icon name="warning" size={13} /> {server} lists no prompts now: {why}
        </p>
      ))}
    </div>
  );
}
