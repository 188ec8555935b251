/** What a person chose to take back, out of what a rewind would do. */
import { pretty } from "../../../lib/jsonText";
import { saidThingWords } from "../../../lib/kinds";
import type { AgentChange, FileChange, RewindBody, RewindPreview, RewindSelection } from "../../../lib/wire";
import { bytes } from "../../../lib/words";

export interface Plan {
  conversation: boolean;
  agent: boolean;
  files: boolean;
  database: boolean;
  /** Names (`changeKey`) of the things that go back although others changed them too. */
  included: ReadonlySet<string>;
}

/** What is chosen at first: everything, but for what others changed too. */
export const EVERYTHING: Plan = {
  conversation: true,
  agent: true,
  files: true,
  database: true,
  included: new Set(),
};

/** Names a thing of the agent's. */
export function changeKey({ kind, name }: { kind: string; name: string }): string {
  return `${kind}/${name}`;
}

/** Take a thing that others changed too in, or out. */
export function toggled(plan: Plan, key: string): Plan {
  const included = new Set(plan.included);
  if (!included.delete(key)) included.add(key);
  return { ...plan, included };
}

/** True for a thing that goes back by this plan. */
export function goesBack(plan: Plan, change: AgentChange): boolean {
  return plan.agent && (!change.touched_by_others || plan.included.has(changeKey(change)));
}

/** A file's name among what can be included. */
export function fileKey({ file_id }: FileChange): string {
  return changeKey({ kind: "file", name: file_id });
}

/** True for a file that goes back by this plan. */
export function fileGoesBack(plan: Plan, change: FileChange): boolean {
  const wanted = plan.files && (!change.touched_by_others || plan.included.has(fileKey(change)));
  return wanted && !change.path_taken;
}

/** A file for people: where it is, or was. */
export function pathsOf({ before, now }: FileChange): string {
  if (!before || !now || before.path === now.path) return (now ?? before)?.path ?? "";
  return `${now.path} → ${before.path}`;
}

/** A version of a file in short; nothing where it isn't there. */
export function sizeOf(version: FileChange["now"]): string {
  return version ? `version ${version.version}, ${bytes(version.size)}` : "none";
}

/** The database's name among what can be included. */
export const DATABASE = changeKey({ kind: "database", name: "database" });

/** True where the database goes back by this plan: as a whole, also what others wrote to it. */
export function databaseGoesBack(plan: Plan, change: RewindPreview["database"]): boolean {
  return change !== null && plan.database && (change.by_others === 0 || plan.included.has(DATABASE));
}

/** What to ask for; null where nothing is chosen that would change anything. */
export function requestFor(plan: Plan, preview: RewindPreview): RewindBody | null {
  const chosen = preview.agent.filter((change) => goesBack(plan, change));
  const parts: RewindBody["parts"] = [];
  if (plan.conversation) parts.push("conversation");
  if (chosen.length) parts.push("agent");
  const files = preview.files.filter((change) => fileGoesBack(plan, change));
  if (files.length) parts.push("files");
  const database = databaseGoesBack(plan, preview.database);
  if (database) parts.push("database");
  if (!parts.length) return null;
  const including: RewindSelection[] = [
    ...chosen.filter((change) => change.touched_by_others).map(({ kind, name }) => ({ kind, names: [name] })),
    ...files
      .filter((change) => change.touched_by_others)
      .map(({ file_id }) => ({ kind: "file", names: [file_id] })),
    ...(database && plan.included.has(DATABASE) ? [{ kind: "database" }] : []),
  ];
  return { to: preview.to, parts, including };
}

/** What becomes of a thing when it goes back. */
export function fate({
  before,
  now,
}: {
  before: unknown;
  now: unknown;
}): "removed" | "restored" | "changed back" {
  if (!before) return "removed";
  return now ? "changed back" : "restored";
}

type Nameable = { kind: string; name: string } & Partial<Pick<AgentChange, "before" | "now">>;

/** A thing's name for people. */
export function nameOf({ kind, name, before, now }: Nameable): string {
  return saidThingWords(kind, name, (now ?? before)?.value);
}

/** A version as text, as a difference shows it; nothing where it isn't there. */
export function textOf(version: AgentChange["now"]): string {
  return version ? pretty(version.value) : "";
}
