import { useState } from "react";
import { Icon } from "../../../../components/Icon";
import { studioHref } from "../../../../lib/route";
import type { Agent, Setting } from "../../../../lib/wire";
import { AS_SET, type Choice, LONGEST_MODEL, offers, unready } from "../../fold/choosing";
import { ThinkingChoice } from "./ThinkingChoice";

interface Props {
  choice: Choice;
  /** Empty until they are known. */
  agents: readonly Agent[];
  settings: readonly Setting[];
  onChoose: (choice: Choice) => void;
}

const ANOTHER = "\n";

/** Who answers a new chat: which agent, where there are several, which model, and how much it thinks. */
export function WhoAnswers({ choice, agents, settings, onChoose }: Props) {
  const [another, setAnother] = useState(false);
  const problem = unready(settings, choice.model);
  return (
    <div className="who-answers">
      <div className="who-answers-row">
        {agents.length > 1 && (
          <label>
            <span aria-hidden="true">Agent</span>
            <select
              aria-label="Agent"
              className="form-select form-select-sm"
              value={choice.agentId}
              onChange={(event) => {
                setAnother(false);
                onChoose({ ...AS_SET, agentId: event.target.value });
              }}
            >
              {agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {settings.length > 0 && (
          <label>
            <span aria-hidden="true">Model</span>
            <select
              aria-label="Model"
              className="form-select form-select-sm"
              value={another ? ANOTHER : (choice.model ?? "")}
              onChange={(event) => {
                const { value } = event.target;
                setAnother(value === ANOTHER);
                onChoose({ ...choice, model: value === ANOTHER || value === "" ? null : value });
              }}
            >
              {offers(settings).map(({ model, words }) => (
                <option key={model} value={model ?? ""}>
                  {words}
                </option>
              ))}
              <option value={ANOTHER}>Another one…</option>
            </select>
          </label>
        )}
        {another && (
          <input
            className="form-control form-control-sm"
            aria-label="The other model"
            placeholder="provider/model, or several with commas"
            maxLength={LONGEST_MODEL}
            value={choice.model ?? ""}
            onChange={(event) => onChoose({ ...choice, model: event.target.value.trim() || null })}
          />
        )}
        {settings.length > 0 && (
          <ThinkingChoice
            thinking={choice.thinking}
            onChoose={(thinking) => onChoose({ ...choice, thinking })}
          />
        )}
      </div>
      {problem && (
        <p className="who-answers-problem" role="status">
          <Icon name="warning" size={14} /> {problem}{" "}
          <a href={studioHref(choice.agentId, "settings")}>Open the settings</a>
        </p>
      )}
    </div>
  );
}
