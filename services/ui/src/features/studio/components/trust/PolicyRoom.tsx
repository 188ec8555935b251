import { useCallback, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import type { Policy, PolicyRule, PolicyTrial } from "../../../../lib/wire";
import { readPolicy, tryPolicy, writePolicy } from "../../api/policy";
import { type Draft, matchWords, moved, PRESETS, type Preset, same, VERDICT_WORDS } from "../../fold/policy";
import { Failure } from "../Failure";
import { PolicyRuleForm } from "./PolicyRuleForm";
import { PolicyTrialView } from "./PolicyTrialView";
import { PolicyVersions } from "./PolicyVersions";
import "../../levers.css";
import "../../policy.css";

/** So many rules a policy may have. */
const MOST_RULES = 200;

/** What the agent may do, asks for, and may not. Only people write it. */
export function PolicyRoom({ agentId, revision }: { agentId: string; revision: string }) {
  const read = useRead(
    useCallback((signal: AbortSignal) => readPolicy(agentId, null, signal), [agentId]),
    revision,
  );
  return (
    <div className="studio-scrolls">
      <section className="lever-room" aria-label="Policy">
        <p className="text-body-secondary">
          What this agent may do without asking, when it asks you, and what it may never do. The agent can't
          change this. Your <em>Never</em> rules always win. Otherwise your first matching rule decides, then
          the preset.
        </p>
        <Reading read={read}>
          {(policy) => (
            <>
              <Editor key={policy.version} agentId={agentId} policy={policy} onSaved={read.again} />
              <PolicyVersions agentId={agentId} now={policy} onReverted={read.again} />
            </>
          )}
        </Reading>
      </section>
    </div>
  );
}

interface Props {
  agentId: string;
  policy: Policy;
  onSaved: () => void;
}

function Editor({ agentId, policy, onSaved }: Props) {
  const [draft, setDraft] = useState<Draft>({ preset: policy.preset, rules: policy.rules });
  const [trial, setTrial] = useState<PolicyTrial | null>(null);
  const saving = useAction();
  const trying = useAction();
  const change = (next: Partial<Draft>) => {
    setDraft({ ...draft, ...next });
    setTrial(null);
  };
  const { rules } = draft;
  const changed = !same(draft, policy);
  const withRule = (place: number, rule: PolicyRule) => rules.map((one, at) => (at === place ? rule : one));
  return (
    <form
      aria-label="Policy"
      onSubmit={(event) => {
        event.preventDefault();
        saving.run(() => writePolicy(agentId, draft, policy.version), onSaved);
      }}
    >
      <Presets chosen={draft.preset} onChoose={(preset) => change({ preset })} />
      <h2 className="studio-subtitle">Your rules</h2>
      {rules.length === 0 && <p>No rules yet: the preset decides.</p>}
      <ol className="lever-list">
        {rules.map((rule, place) => (
          <PolicyRuleForm
            // biome-ignore lint/suspicious/noArrayIndexKey: rules have no other name than their place
            key={place}
            rule={rule}
            number={place + 1}
            last={place === rules.length - 1}
            onChange={(next) => change({ rules: withRule(place, next) })}
            onMove={(by) => change({ rules: moved(rules, place, place + by) })}
            onRemove={() => change({ rules: rules.filter((_, at) => at !== place) })}
          />
        ))}
      </ol>
      <div className="studio-buttons">
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          disabled={rules.length >= MOST_RULES}
          onClick={() => change({ rules: [...rules, { verdict: "ask", match: {}, note: "" }] })}
        >
          Add a rule
        </button>
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          disabled={trying.working}
          onClick={() => trying.run(() => tryPolicy(agentId, draft), setTrial)}
        >
          Test on past calls
        </button>
        <button type="submit" className="btn btn-sm btn-primary" disabled={!changed || saving.working}>
          Save
        </button>
        {changed && (
          <button
            type="button"
            className="btn btn-sm btn-link"
            onClick={() => change({ preset: policy.preset, rules: policy.rules })}
          >
            Cancel
          </button>
        )}
      </div>
      <Failure failure={saving.failure ?? trying.failure} />
      {trial && <PolicyTrialView trial={trial} />}
      <PresetRules policy={policy} />
    </form>
  );
}

function Presets({ chosen, onChoose }: { chosen: Preset; onChoose: (preset: Preset) => void }) {
  return (
    <fieldset className="policy-presets">
      <legend className="studio-subtitle">Preset</legend>
      {(Object.entries(PRESETS) as [Preset, string][]).map(([preset, words]) => (
        <label key={preset} className="form-check">
          <input
            type="radio"
            name="preset"
            className="form-check-input"
            checked={chosen === preset}
            onChange={() => onChoose(preset)}
          />
          <span className="form-check-label">
            <strong>{preset[0]?.toUpperCase() + preset.slice(1)}.</strong> {words}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function PresetRules({ policy }: { policy: Policy }) {
  return (
    <details className="policy-preset">
      <summary>Rules of the saved preset ({policy.preset})</summary>
      <ol>
        {policy.preset_rules.map(({ verdict, match, note }) => (
          <li key={JSON.stringify(match)}>
            <strong>{VERDICT_WORDS[verdict]}</strong>: {matchWords(match)}
            {note && <span className="text-body-secondary"> ({note})</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}
