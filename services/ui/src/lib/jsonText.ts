/** JSON for people. */

/** Indented; a bare text is shown as it is. */
export function pretty(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 2) ?? "";
}

/**
 * What can't be seen, or acts on how others are seen: controls, directions, joiners, tags, fillers, selectors of
 * variants. Ends of lines and tabs can.
 */
const UNSEEN = /[^\P{C}\n\t]|\u034f|[\p{Zl}\p{Zp}\p{Variation_Selector}\u115f\u1160\u3164\uffa0]/u;
const ALL_UNSEEN = new RegExp(UNSEEN, "gu");

/** Whether all of a text can be seen as it is. */
export function isSeen(text: string): boolean {
  return !UNSEEN.test(text);
}

/** Indented JSON in which what can't be seen is written out: the same value, for people who are to judge it. */
export function exact(value: unknown): string {
  return spelledOut(JSON.stringify(value, null, 2) ?? "");
}

/** A text in which what can't be seen is written out, as JSON does. */
export function spelledOut(text: string): string {
  const units = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const writtenOut = (text: string) =>
    units(text)
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join("");
  return text.replace(ALL_UNSEEN, writtenOut);
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
