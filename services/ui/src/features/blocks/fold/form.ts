/** A form's fields: what stands in them, what they amount to, and what is wrong with that. */
import { type Schema, Validator } from "@cfworker/json-schema";
import type { Field } from "./blocks";

/** What stands in each field, by its place: text, or whether it is ticked. */
export type Values = readonly (string | boolean)[];

/** What is wrong with a field, by its place. */
export type Flaws = Readonly<Record<number, string>>;

/** What the fields begin with. */
export function beginning(fields: readonly Field[]): Values {
  return fields.map(({ type, default: given }) => {
    if (type === "checkbox") return given === true;
    return typeof given === "string" || typeof given === "number" ? String(given) : "";
  });
}

/** What stood in the fields that became `data`. */
export function filled(fields: readonly Field[], data: Readonly<Record<string, unknown>>): Values {
  return beginning(fields.map((field) => ({ ...field, default: data[field.name] })));
}

/** The answer: what is left empty is left out. A number that is none stays text, which its schema refuses. */
export function dataOf(fields: readonly Field[], values: Values): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, type }, at): [string, unknown][] => {
      const value = values[at];
      if (type === "checkbox") return [[name, value === true]];
      if (typeof value !== "string" || value === "") return [];
      if (type !== "number") return [[name, value]];
      const number = Number(value);
      return [[name, value.trim() && Number.isFinite(number) ? number : value]];
    }),
  );
}

/** What is wrong with the answer by the schema that the gateway checks it by as well. */
export function flaws(
  fields: readonly Field[],
  schema: Record<string, unknown>,
  data: Record<string, unknown>,
): Flaws {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const found = fields.map((field): string | null => {
    const { name, required } = field;
    if (!Object.hasOwn(data, name)) return required ? missing(field) : null;
    const { valid } = new Validator(properties[name] ?? {}, "2020-12").validate(data[name]);
    return valid ? null : wrong(field);
  });
  return Object.fromEntries(found.flatMap((words, at) => (words === null ? [] : [[at, words]])));
}

/** The field that a JSON Pointer into the answer names; null if it names none. */
export function fieldAt(fields: readonly Field[], path: string | null): number | null {
  if (!path?.startsWith("/data/")) return null;
  const name = path.slice("/data/".length).replaceAll("~1", "/").replaceAll("~0", "~");
  const at = fields.findIndex((field) => field.name === name);
  return at < 0 ? null : at;
}

function missing({ type }: Field): string {
  return type === "select" ? "Choose one." : "Fill this in.";
}

function wrong({ type }: Field): string {
  switch (type) {
    case "number":
      return "Write a number, such as 2.5.";
    case "date":
      return "Write a day, such as 2026-07-31.";
    case "select":
      return "Choose one of the options.";
    case "checkbox":
      return "This must be ticked.";
    default:
      return "This text is too long.";
  }
}
