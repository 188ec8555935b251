import { useState } from "react";
import type { Setting, Settings } from "../../../../lib/wire";
import { type Bases, type Drafts, valuesOf, versionOf } from "../../fold/settings";
import { ORDER } from "../../fold/settingWords";
import { SettingsGroup } from "./SettingsGroup";

interface Props {
  agentId: string | null;
  settings: readonly Setting[];
  onSaved: (settings: Settings) => void;
}

/** All groups of settings, with what is typed in them. */
export function SettingsForm({ agentId, settings, onSaved }: Props) {
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
