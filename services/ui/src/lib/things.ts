/** What an agent has, in words and as text that can be compared. */
import { pretty } from "./jsonText";
import { isMembers } from "./shape";

const KINDS: Record<string, [one: string, many: string]> = {
  prompt: ["System prompt", "Prompt"],
  notes: ["Learned notes", "Notes"],
  notepad: ["Notepad", "Notepad"],
  plan: ["Plan", "Plan"],
  state: ["Stored value", "State"],
  tool: ["Tool", "Tools"],
  function: ["Function", "Functions"],
  library: ["Library", "Libraries"],
  component: ["Page", "Pages"],
  skill: ["Skill", "Skills"],
  playbook: ["Playbook", "Playbooks"],
  file: ["File", "Files"],
  database: ["Database", "Database"],
  reminder: ["Reminder", "Reminders"],
  schedule: ["Scheduled task", "Schedules"],
  setting: ["Setting", "Settings"],
};

const ONLY = new Set(["prompt", "notes", "notepad", "plan", "database"]);
/** The member that is read by itself, without quotes around it. */
const BODIES = ["code", "content", "text"];

/** A kind of things, as a heading. */
export const kindWords = (kind: string): string => KINDS[kind]?.[1] ?? kind;

/** A thing's name for people; of a kind of which there is only one, the kind's. */
export function thingWords(kind: string, label: string): string {
  const words = KINDS[kind]?.[0] ?? kind;
  return ONLY.has(kind) ? words : `${words} ${label}`;
}

/** Kinds whose things are named by an id, which says nothing to people. */
const BY_ID = new Set(["file", "reminder", "schedule", "playbook"]);

/** A thing's name where only that is known: without an id. */
export const shortThingWords = (kind: string, name: string): string =>
  thingWords(kind, BY_ID.has(kind) ? "" : name).trim();

/** A value as text: what it says or its code as it is written, other members in lines before it. */
export function textOfThing(value: unknown): string {
  const body = isMembers(value) ? BODIES.find((name) => typeof value[name] === "string") : undefined;
  if (!isMembers(value) || body === undefined) return pretty(value);
  const others = Object.entries(value).filter(([name]) => name !== body);
  const lines = others.map(([name, other]) => `${name}: ${pretty(other)}`);
  return [...lines, ...(lines.length ? [""] : []), String(value[body])].join("\n");
}
