/** The arguments of a test run: fields where the schema is simple enough for them, else JSON. */

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
  if (!isRecord(schema)) return null;
  if ("oneOf" in schema || "anyOf" in schema || "allOf" in schema || "$ref" in schema) return null;
  const { properties = {}, required } = schema;
  if (!isRecord(properties)) return null;
  const names = Object.keys(properties);
  if (names.length > MOST) return null;
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  return names.map((name) => {
    const part = isRecord(properties[name]) ? properties[name] : {};
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
  return isRecord(all) && Object.keys(all).every((name) => fields.some((field) => field.name === name));
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
