/** A value as the texts that a person reads, compares and edits. */
import { pretty } from "../../../lib/jsonText";
import type { Section } from "./sections";

export type Language = "javascript" | "json" | "text";

export interface Part {
  id: string;
  label: string;
  /** `line`: a text of a few lines at most, shown without an editor. */
  language: Language | "line";
  text: string;
}

const CODE: Part[] = [
  { id: "description", label: "Description", language: "line", text: "" },
  { id: "code", label: "Code", language: "javascript", text: "" },
];
const SCHEMA: Part = { id: "parameter_schema", label: "Schema", language: "json", text: "" };
const EXAMPLES: Part = { id: "examples", label: "Examples", language: "json", text: "" };

/** What a value of each section consists of; the main part is the first that has an editor. */
const SHAPES: Record<Section, readonly Part[]> = {
  tools: [...CODE, SCHEMA, EXAMPLES],
  functions: [...CODE, SCHEMA, EXAMPLES],
  libraries: CODE,
  components: [...CODE, { ...SCHEMA, id: "props_schema", label: "Schema of its props" }],
  skills: [
    { id: "description", label: "Description", language: "line", text: "" },
    { id: "tags", label: "Tags", language: "line", text: "" },
    { id: "content", label: "Content", language: "text", text: "" },
  ],
  playbooks: [
    { id: "description", label: "Goal", language: "line", text: "" },
    { id: "workflow", label: "Steps", language: "json", text: "" },
    { id: "initial_command", label: "What begins it", language: "line", text: "" },
    { id: "success_criteria", label: "How one sees that it worked", language: "line", text: "" },
  ],
  prompt: [{ id: "text", label: "Text", language: "text", text: "" }],
  notes: [{ id: "text", label: "Text", language: "text", text: "" }],
  state: [{ id: "value", label: "Value", language: "json", text: "" }],
  secrets: [],
};

/** The parts of a value; of none (it was deleted then), the same parts, empty. */
export function partsOf(section: Section, value: unknown): Part[] {
  return SHAPES[section].map((part) => ({ ...part, text: textOf(part, memberOf(section, part.id, value)) }));
}

/** The value as one wants to compare it: its parts, and whether it is enabled where it can be switched. */
export function comparable(section: Section, value: unknown): Part[] {
  const enabled = isRecord(value) && "enabled" in value ? (value.enabled ? "yes" : "no") : null;
  const parts = partsOf(section, value);
  return enabled === null
    ? parts
    : [...parts, { id: "enabled", label: "Enabled", language: "line", text: enabled }];
}

export interface Difference {
  label: string;
  before: string;
  after: string;
}

/** Where two values differ, part by part. */
export function differences(section: Section, before: unknown, after: unknown): Difference[] {
  const old = new Map(comparable(section, before).map((part) => [part.id, part.text]));
  const parts = comparable(section, after);
  const gone = comparable(section, before).filter(({ id }) => !parts.some((part) => part.id === id));
  return [...parts, ...gone.map((part) => ({ ...part, text: "" }))]
    .map(({ id, label, text }) => ({ label, before: old.get(id) ?? "", after: text }))
    .filter((one) => one.before !== one.after);
}

function memberOf(section: Section, id: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (section === "state" || section === "prompt" || section === "notes") return value;
  return isRecord(value) ? value[id] : undefined;
}

function textOf({ language, id }: Part, value: unknown): string {
  if (value === undefined || (value === null && id !== "value")) return "";
  if (Array.isArray(value) && id === "tags") return value.join(", ");
  return language === "json" ? JSON.stringify(value, null, 2) : pretty(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The texts of parts, by their ids. */
export function textsOf(parts: readonly Part[]): Record<string, string> {
  return Object.fromEntries(parts.map(({ id, text }) => [id, text]));
}
