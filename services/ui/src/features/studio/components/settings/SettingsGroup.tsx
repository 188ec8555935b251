import { useEffect, useRef, useState } from "react";
import { useAction } from "../../../../lib/hooks/useAction";
import { useReadOf } from "../../../../lib/hooks/useRead";
import { messageOf } from "../../../../lib/problems";
import type { ModelTest, Setting, Settings } from "../../../../lib/wire";
import { count, money } from "../../../../lib/words";
import { readSpending, writeSettings } from "../../api/settings";
import { type Bases, type Drafts, type Values, valuesOf, versionsOf } from "../../fold/settings";
import { GROUPS, LEVELS, labelOf } from "../../fold/settingWords";
import { Failure, Form, Press } from "../controls";
import { AdaptedModels, ModelChecks, ModelTry, ServerModels, testWords } from "./Models";
import { SettingField } from "./SettingField";

interface Props {
  agentId: string | null;
  group: Setting["group"];
  settings: readonly Setting[];
  drafts: Drafts;
  bases: Bases;
  /** What is typed in all groups, as it would be sent. */
  typedValues: () => Values;
  onType: (name: string, text: string) => void;
  /** It was not saved, and why is told: who saves it again has seen what is there now. */
  onRefused: (names: readonly string[]) => void;
  /** null: they have to be read anew. */
  onSaved: (settings: Settings | null, names: readonly string[]) => void;
}

/** Settings that belong together: one form, saved together. */
export function SettingsGroup(props: Props) {
  const { agentId, group, settings, drafts, bases, typedValues, onType, onRefused, onSaved } = props;
  const action = useAction();
  const [tested, setTested] = useState<ModelTest | { failure: unknown } | null>(null);
  const result = useRef<HTMLDivElement>(null);
  // It stands below a long form, the button may be far above.
  useEffect(() => {
    if (tested) result.current?.scrollIntoView?.({ block: "nearest" });
  }, [tested]);
  const { title, about } = GROUPS[group];
  const values = valuesOf(settings, drafts);
  const names = Object.keys(values);

  function write(sent: Values) {
    action.run(
      () =>
        writeSettings(agentId, sent, versionsOf(settings, sent, bases)).catch((error: unknown) => {
          onRefused(Object.keys(sent));
          throw error;
        }),
      (found) => onSaved(found, Object.keys(sent)),
    );
  }

  return (
    <Form
      className="settings-group"
      label={title}
      onSubmit={() => {
        if (names.length > 0) write(values);
      }}
    >
      <h2>{title}</h2>
      <p className="text-body-secondary">{about}</p>
      {group === "budgets" && <SpendingLines agentId={agentId} />}
      {group === "models" && agentId === null && <AdaptedModels />}
      {group === "models" && (
        <ServerModels agentId={agentId} settings={settings} values={typedValues} onChoose={onType} />
      )}
      {settings.map((setting) => {
        const level = LEVELS.find((one) => one.setting === setting.name);
        return (
          <SettingField
            key={setting.name}
            agentId={agentId}
            setting={setting}
            drafts={drafts}
            working={action.working}
            onType={onType}
            onReset={(name) => write({ [name]: null })}
            onReverted={() => onSaved(null, [setting.name])}
          >
            {level && (
              <ModelTry
                agentId={agentId}
                level={level.level}
                label={labelOf(setting)}
                values={typedValues}
                onTested={setTested}
              />
            )}
          </SettingField>
        );
      })}
      <div role="status" aria-live="polite" ref={result}>
        {tested && <Tested tested={tested} />}
      </div>
      <Failure failure={action.failure} />
      <div className="studio-buttons">
        <Press type="submit" look="btn-primary" disabled={action.working || names.length === 0}>
          {action.working ? "Saving…" : `Save ${title.toLowerCase()}`}
        </Press>
      </div>
    </Form>
  );
}

function Tested({ tested }: { tested: ModelTest | { failure: unknown } }) {
  const failed = "failure" in tested && !("ok" in tested);
  const ok = "ok" in tested && tested.ok;
  if ("checks" in tested && tested.checks?.length) return <ModelChecks test={tested} />;
  return (
    <div className={`alert ${ok ? "alert-success" : "alert-danger"}`}>
      {failed ? messageOf(tested.failure) : testWords(tested as ModelTest)}
    </div>
  );
}

/** What was spent on models today and in all, as the caps below count. */
function SpendingLines({ agentId }: { agentId: string | null }) {
  const { all, agent } = useReadOf(readSpending, [agentId]).value ?? {};
  if (!all) return null;
  return (
    <dl className="settings-spending">
      {agent && <Line title="This agent today" {...agent.today} />}
      {agent && <Line title="This agent in all" {...agent.total} />}
      <Line title="All agents today" {...all.today} />
      <Line title="All agents in all" {...all.total} />
      {all.held.tokens > 0 && <Line title="Held back for running calls" {...all.held} />}
    </dl>
  );
}

interface LineProps {
  title: string;
  tokens: number;
  cost_micros: number;
  unpriced: number;
}

function Line({ title, tokens, cost_micros: cost, unpriced }: LineProps) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {count(tokens)} tokens, {money(cost)}
        {unpriced > 0 && <>; no price is known for {count(unpriced)} of the tokens</>}
      </dd>
    </div>
  );
}
