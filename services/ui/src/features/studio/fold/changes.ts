/** What an agent changed of itself, in words. */
import type { OwnChange } from "../../../lib/wire";

interface Words {
  one: string;
  plural: string;
  /** There is one of it. */
  single?: boolean;
}

export const CHANGED_KINDS: Readonly<Record<string, Words>> = {
  prompt: { one: "the prompt", plural: "Prompt", single: true },
  notes: { one: "its notes", plural: "Notes", single: true },
  tool: { one: "the tool", plural: "Tools" },
  function: { one: "the function", plural: "Functions" },
  library: { one: "the library", plural: "Libraries" },
  component: { one: "the component", plural: "Components" },
  skill: { one: "the skill", plural: "Skills" },
  playbook: { one: "the playbook", plural: "Playbooks" },
  state: { one: "the value", plural: "State" },
  file: { one: "the file", plural: "Files" },
  reminder: { one: "the reminder", plural: "Reminders" },
  schedule: { one: "the scheduled task", plural: "Schedules" },
  database: { one: "the database:", plural: "Database" },
};

const DID: Readonly<Record<OwnChange["what"], string>> = {
  made: "Made",
  changed: "Changed",
  deleted: "Deleted",
};

/** The change in one line. */
export function changeWords({ what, kind, label }: OwnChange): string {
  const words = CHANGED_KINDS[kind];
  const thing = words?.single ? words.one : `${words?.one ?? kind} ${label}`;
  return words?.single && what === "made" ? `Wrote ${thing}` : `${DID[what]} ${thing}`;
}
