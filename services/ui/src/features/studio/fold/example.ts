/** Arguments to begin a test run with, from the function's schema. */

type Schema = Record<string, unknown>;

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
