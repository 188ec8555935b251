import { useCallback, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { useRead } from "../../../../lib/hooks/useRead";
import type { Settings } from "../../../../lib/wire";
import { readSettings } from "../../api/settings";
import { OperatorSettings } from "./OperatorSettings";
import { SettingsForm } from "./SettingsForm";
import "../../settings.css";

interface Props {
  agentId: string;
  /** The settings are read anew when it changes. */
  revision: string;
}

/** What a person sets, for all agents or for one; and what an operator said at the start. */
export function SettingsRoom({ agentId, revision }: Props) {
  const [whose, setWhose] = useState<"all" | "agent">("all");
  const owner = whose === "all" ? null : agentId;
  const read = useRead(
    useCallback((signal: AbortSignal) => readSettings(owner, signal), [owner]),
    revision,
  );
  const [saved, setSaved] = useState<{ of: string | null; revision: string; settings: Settings } | null>(
    null,
  );
  return (
    <div className="settings-room">
      <div className="settings-whose btn-group btn-group-sm" role="group" aria-label="Whose settings">
        {(["all", "agent"] as const).map((one) => (
          <button
            key={one}
            type="button"
            className={`btn ${whose === one ? "btn-primary" : "btn-outline-primary"}`}
            aria-pressed={whose === one}
            onClick={() => {
              setSaved(null);
              setWhose(one);
            }}
          >
            {one === "all" ? "All agents" : "This agent only"}
          </button>
        ))}
      </div>
      <p className="text-body-secondary">
        Changes apply from the next call. Environment variables win, then this agent's settings, then the
        settings for all agents.
      </p>
      <Reading read={read}>
        {(found) => {
          const newest = saved && saved.of === owner && saved.revision === revision ? saved.settings : found;
          return (
            <>
              <SettingsForm
                key={owner ?? ""}
                agentId={owner}
                settings={newest.settings}
                onSaved={(settings) => setSaved({ of: owner, revision, settings })}
              />
              {owner === null && <OperatorSettings settings={newest.operator} />}
            </>
          );
        }}
      </Reading>
    </div>
  );
}
