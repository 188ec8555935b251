/** A test run of code: its arguments as fields where the schema is simple enough for them, and what it will do. */
import { isMembers } from "../../../lib/shape";

export type FieldKind = "text" | "number" | "integer" | "boolean" | "choice" | "json";

export interface ArgumentField {
  name: string;
  kind: FieldKind;
  about: string;
  required: boolean;
  /** Of a choice. */
  choices: readonly unknown[];
}

type Schema = Readonly<Record<string, unknown>>;
export type Arguments = Readonly<Record<string, unknown>>;

/** Fields that fit on a page. */
const MOST = 60;

/** A field for each of the schema's properties; null: it takes more than fields can say. */
export function fieldsOf(schema: unknown): ArgumentField[] | null {
  if (!isMembers(schema)) return null;
  if ("oneOf" in schema || "anyOf" in schema || "allOf" in schema || "$ref" in schema) return null;
  const { properties = {}, required } = schema;
  if (!isMembers(properties)) return null;
  const names = Object.keys(properties);
  if (names.length > MOST) return null;
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  return names.map((name) => {
    const part = isMembers(properties[name]) ? properties[name] : {};
    return {
      name,
      kind: kindOf(part),
      about: [part.title, part.description].filter((text) => typeof text === "string").join(": "),
      required: needed.has(name),
      choices: Array.isArray(part.enum) ? part.enum : [],
    };
  });
}

function kindOf(part: Schema): FieldKind {
  if (Array.isArray(part.enum) && part.enum.length > 0) return "choice";
  switch (part.type) {
    case "string":
      return "text";
    case "number":
    case "integer":
    case "boolean":
      return part.type;
    default:
      return "json";
  }
}

/** What stands in a field for a value; the empty text for one that is left out. */
export function shownIn({ kind, choices }: ArgumentField, value: unknown): string {
  if (value === undefined) return "";
  if (kind === "choice") return String(choices.findIndex((one) => same(one, value)));
  if (kind !== "json" && typeof value === "string") return value;
  return JSON.stringify(value);
}

/** The arguments with what was written in a field; an empty one leaves the argument out, unless it is a needed text. */
export function written(all: Arguments, field: ArgumentField, text: string): Arguments {
  const { [field.name]: _before, ...rest } = all;
  const value = readAs(field, text);
  return value === undefined ? rest : { ...rest, [field.name]: value };
}

function readAs({ kind, required, choices }: ArgumentField, text: string): unknown {
  if (kind === "text") return text === "" && !required ? undefined : text;
  if (text.trim() === "") return undefined;
  if (kind === "choice") return choices[Number(text)];
  if (kind === "number" || kind === "integer") {
    const value = Number(text);
    return Number.isFinite(value) ? value : text;
  }
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON yet: it goes as the text that it is, and the schema refuses it with its place.
    return text;
  }
}

/** True where fields can show these arguments without losing any of them. */
export function fits(fields: readonly ArgumentField[], all: unknown): all is Arguments {
  return isMembers(all) && Object.keys(all).every((name) => fields.some((field) => field.name === name));
}

/** Which argument a JSON Pointer is about; null: none. */
export function argumentAt(path: unknown): string | null {
  if (typeof path !== "string") return null;
  const parts = path.split("/").slice(1);
  const name = parts[0] === "arguments" ? parts[1] : parts[0];
  return name?.replaceAll("~1", "/").replaceAll("~0", "~") || null;
}

/** True for equal JSON values. */
export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const DEEPEST = 4;
const PLAIN: Record<string, unknown> = {
  string: "",
  number: 0,
  integer: 0,
  boolean: false,
  null: null,
  array: [],
};

/** A value that looks like what the schema wants: its default or first example, else its required members. */
export function exampleOf(schema: unknown, depth = 0): unknown {
  if (typeof schema !== "object" || schema === null) return depth ? null : {};
  const {
    default: preset,
    examples,
    enum: choices,
    const: only,
    type,
    properties,
    required,
  } = schema as Schema;
  if (preset !== undefined) return preset;
  if (only !== undefined) return only;
  for (const list of [examples, choices]) if (Array.isArray(list) && list.length) return list[0];
  const wanted = Array.isArray(type) ? type[0] : type;
  if (wanted !== "object" && !(wanted === undefined && properties) && depth)
    return PLAIN[String(wanted)] ?? null;
  if (typeof properties !== "object" || properties === null || depth >= DEEPEST) return {};
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => names.includes(name))
      .map(([name, part]) => [name, exampleOf(part, depth + 1)]),
  );
}

/** What code will do for real when it runs, as far as its text shows. */
const EFFECTS: readonly (readonly [RegExp, string])[] = [
  [/\bfetch\s*\(/, "sends requests to other servers"],
  [/\bmcp\s*\./, "calls tools of MCP servers"],
  [/\bbrowser\s*\./, "wants a chat's browser, which a test run doesn't have"],
  [/\bsession\s*\./, "wants a chat of its own, which a test run doesn't have"],
  [/\bstate\s*\.\s*(set|delete)\b/, "writes the agent's state"],
  [/\bdb\s*\.\s*sql\b/, "works on the agent's database"],
  [/\b(files|spreadsheet|pdf|image)\s*\./, "works on files"],
  [/\bllm\s*\./, "asks models, which costs tokens"],
  [/\bweb\s*\./, "searches or reads the web"],
  [/\bfunctions\s*\./, "calls other functions, with all that they do"],
  [/\brequire\s*\(/, "uses libraries, with all that they do"],
  [/\bsecrets\s*\./, "uses secrets"],
];

/** In words, each after "It". Comments and texts count too: rather once too often than not at all. */
export function effectsOf(code: string): string[] {
  return EFFECTS.filter(([sign]) => sign.test(code)).map(([, words]) => words);
}
