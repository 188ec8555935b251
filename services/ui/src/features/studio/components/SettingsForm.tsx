import { useState } from "react";
import type { Setting, Settings } from "../../../lib/wire";
import { type Drafts, valuesOf } from "../fold/settings";
import { ORDER } from "../fold/settingWords";
import { SettingsGroup } from "./SettingsGroup";

interface Props {
  agentId: string | null;
  settings: readonly Setting[];
  onSaved: (settings: Settings) => void;
}

/** All groups of settings, with what is typed in them. */
export function SettingsForm({ agentId, settings, onSaved }: Props) {
  const [drafts, setDrafts] = useState<Drafts>({});
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
        onType={(name, text) => setDrafts((before) => ({ ...before, [name]: text }))}
        onSaved={(found, names) => {
          setDrafts((before) =>
            Object.fromEntries(Object.entries(before).filter(([one]) => !names.includes(one))),
          );
          onSaved(found);
        }}
      />
    );
  });
}
