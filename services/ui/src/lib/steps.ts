/** The steps of a `user_input` call, as its tool recorded them: what stands in their fields, and what is wrong. */
import { type Schema, Validator } from "@cfworker/json-schema";

export interface Option {
  value: string | number | boolean;
  label: string;
  help: string;
}

export interface StepField {
  name: string;
  label: string;
  help: string;
  type:
    | ("text" | "textarea" | "secret" | "number" | "integer")
    | ("checkbox" | "select" | "cards" | "many" | "lines");
  /** What a text must be, such as `email`. */
  format?: string | null;
  /** An example of a value. */
  hint?: string;
  options: readonly Option[] | null;
  required: boolean;
  default: unknown;
}

export interface Step {
  title: string | null;
  description: string | null;
  fields: readonly StepField[];
  /** An address that the person is to open, and the host that it leads to. */
  url?: string;
  host?: string;
}

export interface StepsShown {
  title: string;
  description: string;
  steps: readonly Step[];
  properties: Readonly<Record<string, Schema>>;
  /** The foreign server whose words these are, which may also be told no. */
  server: string | null;
}

/** What stands in a field: text, whether it is ticked, or which options are chosen, by their places. */
export type Entry = string | boolean | readonly number[];

/** What stands in the fields, by their names. */
export type Entries = Readonly<Record<string, Entry>>;

/** What is wrong with fields, by their names. */
export type Wrong = Readonly<Record<string, string>>;

export function stepsOf(show: Readonly<Record<string, unknown>> | null): StepsShown {
  const { title, description, steps, answer_schema, server } = show ?? {};
  const schema = (answer_schema ?? {}) as { properties?: Record<string, Schema> };
  return {
    title: typeof title === "string" ? title : "",
    description: typeof description === "string" ? description : "",
    steps: Array.isArray(steps) ? (steps as Step[]) : [],
    properties: schema.properties ?? {},
    server: typeof server === "string" ? server : null,
  };
}

/** What the fields begin with, or what stood in them when they became `data`. */
export function entriesOf(steps: readonly Step[], data?: Readonly<Record<string, unknown>>): Entries {
  const fields = steps.flatMap((step) => step.fields);
  return Object.fromEntries(
    fields.map((field) => [field.name, entryOf(field, data ? data[field.name] : field.default)]),
  );
}

function entryOf({ type, options }: StepField, value: unknown): Entry {
  switch (type) {
    case "checkbox":
      return value === true;
    case "select":
    case "cards":
      return placesOf(options, [value]);
    case "many":
      return placesOf(options, Array.isArray(value) ? value : []);
    case "lines":
      return Array.isArray(value) ? value.join("\n") : "";
    default:
      return typeof value === "string" || typeof value === "number" ? String(value) : "";
  }
}

const placesOf = (options: readonly Option[] | null, values: readonly unknown[]): number[] =>
  (options ?? []).flatMap((option, at) => (values.includes(option.value) ? [at] : []));

/** The values of some fields; what is left empty is left out. */
export function valuesOf(
  fields: readonly StepField[],
  entries: Entries,
  properties: Readonly<Record<string, Schema>> = {},
): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      const value = valueIn(field, entries[field.name] ?? "", properties[field.name]);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}

function valueIn({ type, options }: StepField, entry: Entry, schema: Schema | undefined): unknown {
  if (type === "checkbox") return entry === true;
  if (typeof entry === "object") {
    const chosen = entry.map((at) => options?.[at]?.value);
    if (type === "many") return chosen.length ? chosen : undefined;
    return chosen[0];
  }
  if (typeof entry !== "string" || entry === "") return undefined;
  if (type === "lines") {
    const items = (schema?.items ?? {}) as { type?: string };
    const lines = entry.split("\n").filter((line) => line.trim());
    const found = items.type === "string" ? lines : lines.map(numberOf);
    return found.length ? found : undefined;
  }
  return type === "number" || type === "integer" ? numberOf(entry) : entry;
}

/** A number; what is none stays text, which its schema refuses. */
function numberOf(text: string): number | string {
  const number = Number(text);
  return text.trim() && Number.isFinite(number) ? number : text;
}

/** What is wrong with a step by the schema that the gateway checks it by as well. */
export function wrongIn(
  { fields }: Step,
  { properties }: Pick<StepsShown, "properties">,
  entries: Entries,
): Wrong {
  const values = valuesOf(fields, entries, properties);
  return Object.fromEntries(
    fields.flatMap((field): [string, string][] => {
      if (!Object.hasOwn(values, field.name)) {
        return field.required ? [[field.name, missing(field)]] : [];
      }
      const { valid } = new Validator(properties[field.name] ?? {}, "2020-12").validate(values[field.name]);
      return valid ? [] : [[field.name, unfit(field)]];
    }),
  );
}

/** The field that a JSON Pointer into the answer names, and the step that has it; null if it names none. */
export function placeOf(steps: readonly Step[], path: string | null): { step: number; name: string } | null {
  if (!path?.startsWith("/data/")) return null;
  const name = path.slice("/data/".length).replaceAll("~1", "/").replaceAll("~0", "~");
  const step = steps.findIndex(({ fields }) => fields.some((field) => field.name === name));
  return step < 0 ? null : { step, name };
}

function missing({ type }: StepField): string {
  switch (type) {
    case "select":
    case "cards":
      return "Choose one.";
    case "many":
      return "Choose at least one.";
    default:
      return "Fill this in.";
  }
}

function unfit({ type }: StepField): string {
  switch (type) {
    case "number":
      return "Write a number within what is asked for, such as 2.5.";
    case "integer":
      return "Write a whole number within what is asked for.";
    case "text":
    case "textarea":
    case "secret":
      return "This text is too short or too long, or doesn't have the form that is asked for.";
    case "lines":
      return "One value a line, as many as are asked for.";
    default:
      return "Choose as many as are asked for.";
  }
}
