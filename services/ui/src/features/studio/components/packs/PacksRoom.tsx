import type { Schema } from "@cfworker/json-schema";
import { type FormEvent, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { StepFieldset } from "../../../../components/StepFieldset";
import { useAction } from "../../../../lib/hooks/useAction";
import { useReadOf } from "../../../../lib/hooks/useRead";
import {
  type Entry,
  entriesOf,
  type Step,
  type StepField,
  stepsOf,
  valuesOf,
  type Wrong,
  wrongIn,
} from "../../../../lib/steps";
import { count } from "../../../../lib/words";
import { type AgentPack, readPacks, type SettingsByPack, writePacks } from "../../api/settings";
import { Failure, type InRoom, Press, Room } from "../controls";

type Props = Pick<InRoom, "agentId" | "revision">;

/** The packs of tools that a person enables for the agent, in which order. */
export function PacksRoom({ agentId, revision }: Props) {
  const packs = useReadOf(readPacks, [agentId], revision);
  const action = useAction();
  const { again } = packs;
  return (
    <Room
      label="Packs"
      about="A pack gives this agent more tools. If two packs have a tool of the same name, the upper pack keeps the name. A pack's tool also takes the name of Foldline's own tool, which is then renamed."
    >
      <Reading read={packs}>
        {({ packs: all, renamed, version, extensions }) => {
          const enabled = all.filter((one) => one.enabled).map((one) => one.name);
          const set = (wanted: readonly string[], settings: SettingsByPack = {}) =>
            action.run(() => writePacks(agentId, wanted, version, settings), again, again);
          return (
            <>
              {all.length === 0 && <p role="status">No packs are installed.</p>}
              <ul className="lever-list">
                {all.map((pack) => (
                  <Pack key={pack.name} pack={pack} enabled={enabled} working={action.working} set={set} />
                ))}
              </ul>
              {extensions.length > 0 && (
                <section aria-label="Extensions">
                  <h2 className="studio-subtitle">Extensions, for all agents</h2>
                  <ul className="lever-lines">
                    {extensions.map(({ kind, name, distribution, problem, needs_restart }) => (
                      <li key={`${kind} ${name}`}>
                        <code>{name}</code> ({kind}, {distribution})
                        {problem !== null && <span className="text-problem"> can't be used: {problem}</span>}
                        {problem === null && needs_restart && " is installed; restart Foldline to use it"}
                      </li>
                    ))}
                  </ul>
                </section>
              )}
              {renamed.length > 0 && (
                <section aria-label="Renamed tools">
                  <h2 className="studio-subtitle">Renamed tools</h2>
                  <ul className="lever-lines">
                    {renamed.map(({ tool, name }) => (
                      <li key={`${tool} ${name}`}>
                        <code>{tool}</code> is now called <code>{name}</code>
                      </li>
                    ))}
                  </ul>
                </section>
              )}
            </>
          );
        }}
      </Reading>
      <Failure failure={action.failure} />
    </Room>
  );
}

interface PackProps {
  pack: AgentPack;
  /** The names of the enabled ones, in their order. */
  enabled: readonly string[];
  working: boolean;
  set(wanted: readonly string[], settings?: SettingsByPack): void;
}

function Pack({ pack, enabled, working, set }: PackProps) {
  const place = enabled.indexOf(pack.name);
  const others = enabled.filter((one) => one !== pack.name);
  const first = () => set([...others.slice(0, place - 1), pack.name, ...others.slice(place - 1)]);
  return (
    <li className="lever-item" aria-label={pack.title}>
      <div className="lever-item-head">
        <strong>{pack.title}</strong>
        <code>{pack.name}</code>
        <span className="badge studio-badge">{stateOf(pack)}</span>
        <span className="lever-actions">
          {place > 0 && (
            <Press disabled={working} aria-label={`Move ${pack.title} up`} onPress={first}>
              Up
            </Press>
          )}
          <Press
            look="btn-outline-primary"
            disabled={working || (!pack.enabled && pack.problem !== null)}
            aria-label={`${pack.enabled ? "Disable" : "Enable"} ${pack.title}`}
            onPress={() => set(pack.enabled ? others : [...enabled, pack.name])}
          >
            {pack.enabled ? "Disable" : "Enable"}
          </Press>
        </span>
      </div>
      <p className="text-body-secondary">{pack.purpose}</p>
      {pack.problem !== null && (
        <p className="text-problem" role="alert">
          It can't be used: {pack.problem}
        </p>
      )}
      {pack.missing_secrets.length > 0 && (
        <p className="text-problem">
          Some of its tools wait for a secret that this agent doesn't have: {pack.missing_secrets.join(", ")}.
          Set it under Secrets.
        </p>
      )}
      {pack.brings.length > 0 && (
        <p className="small">
          It brings: {pack.brings.map(({ kind, name }) => `${name} (${kind})`).join(", ")}
        </p>
      )}
      {pack.tools.length > 0 && (
        <details className="small">
          <summary>{pack.tools.length === 1 ? "1 tool" : `${count(pack.tools.length)} tools`}</summary>
          <ul className="lever-lines">
            {pack.tools.map(({ tool, name, description, switched_off_by }) => (
              <li key={tool}>
                <code>{name}</code> <Words text={description} />
                {switched_off_by !== null && (
                  <span className="text-body-secondary"> Switched off by {switched_off_by}.</span>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      {pack.settings !== null && pack.installed && (
        <PackSettings
          key={JSON.stringify(pack.settings)}
          title={pack.title}
          settings={pack.settings}
          working={working}
          save={(values) => set(enabled, { [pack.name]: values })}
        />
      )}
    </li>
  );
}

/** A sentence in which names stand between backticks. */
function Words({ text }: { text: string }) {
  return text.split("`").map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    at % 2 ? <code key={at}>{part}</code> : part,
  );
}

function stateOf({ enabled, installed, problem }: AgentPack): string {
  if (problem !== null) return "broken";
  if (!installed) return "not installed";
  return enabled ? "enabled" : "off";
}

interface SettingsProps {
  title: string;
  settings: NonNullable<AgentPack["settings"]>;
  working: boolean;
  save(values: Record<string, unknown>): void;
}

/** What may be set of a pack. Only what differs from the pack's defaults is kept. */
function PackSettings({ title, settings, working, save }: SettingsProps) {
  const [step = NO_FIELDS] = stepsOf({ steps: [{ ...NO_FIELDS, fields: settings.fields }] }).steps;
  const { fields } = step;
  const properties = (settings.json_schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const [entries, setEntries] = useState(() =>
    entriesOf([step], { ...defaultsOf(fields), ...settings.values }),
  );
  const [wrong, setWrong] = useState<Wrong>({});
  const change = (name: string, entry: Entry) => {
    setEntries({ ...entries, [name]: entry });
    const { [name]: _, ...left } = wrong;
    setWrong(left);
  };
  function submit(event: FormEvent) {
    event.preventDefault();
    const form = { title: "", description: "", steps: [step], properties, server: null };
    const found = wrongIn(step, form, entries);
    setWrong(found);
    if (Object.keys(found).length > 0) return;
    const values = valuesOf(fields, entries, properties);
    const changed = fields.filter(({ name, default: own }) => !same(values[name], own));
    save(Object.fromEntries(changed.map(({ name, type }) => [name, values[name] ?? EMPTY[type] ?? ""])));
  }
  return (
    <details className="small">
      <summary>Settings</summary>
      <form className="block-form" aria-label={`Settings of ${title}`} onSubmit={submit} noValidate>
        <StepFieldset step={step} entries={entries} wrong={wrong} disabled={working} onChange={change} />
        <Press type="submit" look="btn-primary" disabled={working}>
          Save
        </Press>
      </form>
    </details>
  );
}

const NO_FIELDS: Step = { title: null, description: null, fields: [] };

/** What an empty field stands for, where it isn't the empty text. */
const EMPTY: Partial<Record<StepField["type"], unknown>> = { lines: [], many: [] };

const defaultsOf = (fields: readonly StepField[]) =>
  Object.fromEntries(fields.map(({ name, default: own }) => [name, own]));

/** Whether a value is the default; a list that is left empty is none. */
const same = (value: unknown, own: unknown) => {
  const one = value ?? (Array.isArray(own) ? [] : own);
  return JSON.stringify(one) === JSON.stringify(own);
};
