import { useState } from "react";
import { Reading } from "../../../../components/Reading";
import { useReadOf } from "../../../../lib/hooks/useRead";
import type { Setting, Settings } from "../../../../lib/wire";
import { readSettings } from "../../api/settings";
import { type Bases, type Drafts, valuesOf, versionOf } from "../../fold/settings";
import { ORDER } from "../../fold/settingWords";
import { type InRoom, Press, Room } from "../controls";
import { SettingsGroup } from "./SettingsGroup";
import "../../settings.css";

type Props = Pick<InRoom, "agentId" | "revision">;

/** What a person sets, for all agents or for one; and what an operator said at the start. */
export function SettingsRoom({ agentId, revision }: Props) {
  const [whose, setWhose] = useState<"all" | "agent">("all");
  const owner = whose === "all" ? null : agentId;
  const read = useReadOf(readSettings, [owner], revision);
  const [saved, setSaved] = useState<{ of: string | null; revision: string; settings: Settings } | null>(
    null,
  );
  return (
    <Room
      label="All settings"
      about="Changes apply from the next call. Environment variables win, then this agent's settings, then the settings for all agents."
    >
      <div className="settings-whose btn-group btn-group-sm" role="group" aria-label="Whose settings">
        {(["all", "agent"] as const).map((one) => (
          <Press
            key={one}
            look={whose === one ? "btn-primary" : "btn-outline-primary"}
            aria-pressed={whose === one}
            onPress={() => {
              setSaved(null);
              setWhose(one);
            }}
          >
            {one === "all" ? "All agents" : "This agent only"}
          </Press>
        ))}
      </div>
      <Reading read={read}>
        {(found) => {
          const newest = saved && saved.of === owner && saved.revision === revision ? saved.settings : found;
          return (
            <>
              <SettingsForm
                key={owner ?? ""}
                agentId={owner}
                settings={newest.items}
                onSaved={(settings) => {
                  setSaved(settings && { of: owner, revision, settings });
                  if (settings === null) read.again();
                }}
              />
              {owner === null && <OperatorSettings settings={newest.operator} />}
            </>
          );
        }}
      </Reading>
    </Room>
  );
}

interface FormProps {
  agentId: string | null;
  settings: readonly Setting[];
  onSaved: (settings: Settings | null) => void;
}

/** All groups of settings, with what is typed in them. */
function SettingsForm({ agentId, settings, onSaved }: FormProps) {
  const [drafts, setDrafts] = useState<Drafts>({});
  const [bases, setBases] = useState<Bases>({});
  const without = <T,>(all: Readonly<Record<string, T>>, names: readonly string[]) =>
    Object.fromEntries(Object.entries(all).filter(([one]) => !names.includes(one)));
  const tested = settings.filter(({ group }) => group === "models" || group === "keys" || group === "prices");
  return ORDER.map((group) => {
    const own = settings.filter((one) => one.group === group);
    return own.length === 0 ? null : (
      <SettingsGroup
        key={group}
        agentId={agentId}
        group={group}
        settings={own}
        drafts={drafts}
        typedValues={() => valuesOf(tested, drafts)}
        bases={bases}
        onType={(name, text) => {
          const typedOver = settings.find((one) => one.name === name);
          setBases((before) => (typedOver ? { [name]: versionOf(typedOver), ...before } : before));
          setDrafts((before) => ({ ...before, [name]: text }));
        }}
        onRefused={(names) => setBases((before) => without(before, names))}
        onSaved={(found, names) => {
          setDrafts((before) => without(before, names));
          setBases((before) => without(before, names));
          onSaved(found);
        }}
      />
    );
  });
}

/** What processes were told when they started: to read, with where each comes from. */
function OperatorSettings({ settings }: { settings: Settings["operator"] }) {
  if (settings.length === 0) return null;
  return (
    <details className="settings-operator">
      <summary>Settings of the operator ({settings.length}), which a restart changes</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className="settings-table" aria-label="Settings of the operator" tabIndex={0}>
        <table className="table table-sm">
          <thead>
            <tr>
              {["Setting", "Value", "From", "Meaning"].map((heading) => (
                <th key={heading} scope="col">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {settings.map(({ variable, value, source, meaning }) => (
              <tr key={variable}>
                <th scope="row">
                  <code>{variable}</code>
                </th>
                <td>{value}</td>
                <td>{source}</td>
                <td>{meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
