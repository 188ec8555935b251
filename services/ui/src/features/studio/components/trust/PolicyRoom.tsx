import { useState } from "react";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useReadOf } from "../../../../lib/hooks/useRead";
import { chatHref } from "../../../../lib/route";
import type { Policy, PolicyRule, PolicyTrial } from "../../../../lib/wire";
import { count, fullTime } from "../../../../lib/words";
import { tryPolicy } from "../../api/settings";
import { readOnly, save } from "../../api/things";
import {
  type Draft,
  matchWords,
  moved,
  PRESETS,
  type Preset,
  plain,
  same,
  VERDICT_WORDS,
  type Verdict,
} from "../../fold/policy";
import { pagedKind } from "../../fold/shelves";
import { Failure, Form, type InRoom, Press, Room } from "../controls";
import { VersionSection } from "../versions/Versions";
import { PolicyRuleForm } from "./PolicyRuleForm";
import "../../policy.css";

/** So many rules a policy may have. */
const MOST_RULES = 200;

type RoomProps = InRoom;

/** What the agent may do, asks for, and may not. Only people write it. */
export function PolicyRoom({ agentId, revision, titleOf }: RoomProps) {
  const kind = pagedKind("policy");
  const read = useReadOf(readOnly<Policy>, [agentId, kind], revision);
  return (
    <Room
      label="Policy"
      about={
        <>
          What this agent may do without asking, when it asks you, and what it may never do. The agent can't
          change this. Your <em>Never</em> rules always win. Otherwise your first matching rule decides, then
          the preset.
        </>
      }
    >
      <Reading read={read}>
        {({ version, value: policy, sequence }) => (
          <>
            <Editor key={version} agentId={agentId} policy={policy} onSaved={read.again} />
            <VersionSection
              place={{ agentId, kind, name: kind.kind }}
              label="Versions of the policy"
              level="h2"
              revision={sequence}
              titleOf={titleOf}
              onReverted={read.again}
            />
          </>
        )}
      </Reading>
    </Room>
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
    <Form
      label="Policy"
      className=""
      onSubmit={() =>
        saving.run(
          () => save({ agentId, kind: pagedKind("policy"), name: "policy" }, plain(draft), policy.version),
          onSaved,
        )
      }
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
            conditions={policy.conditions}
            number={place + 1}
            last={place === rules.length - 1}
            onChange={(next) => change({ rules: withRule(place, next) })}
            onMove={(by) => change({ rules: moved(rules, place, place + by) })}
            onRemove={() => change({ rules: rules.filter((_, at) => at !== place) })}
          />
        ))}
      </ol>
      <div className="studio-buttons">
        <Press
          disabled={rules.length >= MOST_RULES}
          onPress={() => change({ rules: [...rules, { verdict: "ask", match: {}, note: "" }] })}
        >
          Add a rule
        </Press>
        <Press
          disabled={trying.working}
          onPress={() => trying.run(() => tryPolicy(agentId, draft), setTrial)}
        >
          Test on past calls
        </Press>
        <Press type="submit" look="btn-primary" disabled={!changed || saving.working}>
          Save
        </Press>
        {changed && (
          <Press look="btn-link" onPress={() => change({ preset: policy.preset, rules: policy.rules })}>
            Cancel
          </Press>
        )}
      </div>
      <Failure failure={saving.failure ?? trying.failure} />
      {trial && <Trial trial={trial} />}
      <PresetRules policy={policy} />
    </Form>
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
            <strong>{VERDICT_WORDS[verdict]}</strong>: {matchWords(match, policy.conditions)}
            {note && <span className="text-body-secondary"> ({note})</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** What a policy would have said of past calls, and where it differs from the one that holds. */
function Trial({ trial }: { trial: PolicyTrial }) {
  if (trial.of === 0) return <p role="status">This agent has called nothing yet.</p>;
  const { allow = 0, ask = 0, deny = 0 } = trial.verdicts;
  return (
    <div className="policy-trial">
      <p role="status">
        The newest {count(trial.of)} calls: {count(allow)} allowed, {count(ask)} asked and {count(deny)}{" "}
        refused. {differing(trial)}
      </p>
      <ul className="lever-list">
        {trial.shown.map((one) => (
          <li key={`${one.session_id} ${one.call_id}`} className="lever-item">
            <p className="lever-item-head">
              <code>{one.tool}</code>
              <span className="lever-words">{one.what}</span>
              <span className="badge studio-badge">
                {VERDICT_WORDS[one.was as Verdict]} → {VERDICT_WORDS[one.would as Verdict]}
              </span>
            </p>
            <p className="lever-item-head text-body-secondary small">
              <span>{one.would_by}</span>
              <span>{fullTime(one.requested_at)}</span>
              <a href={chatHref(one.session_id)}>{one.title ?? "Its chat"}</a>
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

function differing({ differ, shown }: PolicyTrial): string {
  if (differ === 0) return "The current policy gives the same result.";
  const all = shown.length === differ ? "" : ` (showing the newest ${count(shown.length)})`;
  return `${count(differ)} ${differ === 1 ? "differs" : "differ"} from the current policy${all}:`;
}
