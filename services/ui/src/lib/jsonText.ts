/** JSON for people. */

/** Indented; a bare text is shown as it is. */
export function pretty(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 2) ?? "";
}

/** The gist of a call's arguments in one line of at most `longest` characters. */
export function inOneLine(values: Record<string, unknown>, longest = 120): string {
  const parts = Object.entries(values).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${name}: ${text}`;
  });
  const line = parts.join(", ").replace(/\s+/g, " ");
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
