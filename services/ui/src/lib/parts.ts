/** A text of Markdown in parts that are drawn one by one, and each of them once: however long the text is. */
import { blocks, FENCE } from "./blocks";

/** What is longer (characters) is drawn in slices: to draw one takes some milliseconds. */
export const LONG = 3_000;
/** No person and no model writes a longer piece of prose without a gap: it is shown as it is, and not read as Markdown. */
export const LONGEST = 16_000;
/** In a longer text what refers to each other isn't brought together. */
const REFERRING = 20_000;

/** `table` and `code` are one thing each, in several slices, each of them Markdown; the first of a table has its head. */
export type Part =
  /** `goesOn`: with the list of the part before. */
  | { kind: "text"; text: string; goesOn?: true }
  | { kind: "plain"; text: string }
  | { kind: "table"; slices: string[] }
  | { kind: "code"; slices: string[] };

/** What other parts of the text refer to: it stays whole then. */
const DEFINED = /^ {0,3}\[[^\]\n]+\]:/m;
const ROW = /^ {0,3}\|/;
const RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const ITEM = /^([-*+]|\d{1,9}[.)]) /;
const NUMBERED = /^(\d{1,9})([.)] )/;
/** Drawn from all of its source. */
const DRAWN = /^ {0,3}(`{3,}|~{3,})[ \t]*(mermaid|math)\b/;

/** The parts in order. What comes behind a text changes nothing but its last part. */
export function partsOf(text: string, growing: boolean): Part[] {
  if (!growing && text.length <= REFERRING && DEFINED.test(text)) return [{ kind: "text", text }];
  return blocks(text).flatMap((block) =>
    block.length <= LONG ? [{ kind: "text", text: block }] : sliced(block),
  );
}

/** A long block: its tables and code as what they are, its lists item by item. */
function sliced(block: string): Part[] {
  const lines = block.split(/(?<=\n)/);
  const found: Part[] = [];
  let begin = 0;
  let at = 0;
  const prose = (end: number) => {
    if (end > begin) found.push(...proseOf(lines.slice(begin, end)));
    begin = end;
  };
  while (at < lines.length) {
    const end = codeEnd(lines, at) ?? tableEnd(lines, at);
    if (end === null) {
      at += 1;
      continue;
    }
    const thing = lines.slice(at, end);
    const long = thing.join("").length > LONG && !DRAWN.test(thing[0] ?? "");
    if (long) {
      prose(at);
      found.push(FENCE.test(thing[0] ?? "") ? code(thing) : table(thing));
      begin = end;
    }
    at = end;
  }
  prose(lines.length);
  return found;
}

/** Behind the code that begins in this line; null: none does. */
function codeEnd(lines: readonly string[], at: number): number | null {
  const mark = FENCE.exec(lines[at] ?? "")?.[1];
  if (!mark) return null;
  const end = lines.findIndex((line, index) => index > at && FENCE.exec(line)?.[1]?.startsWith(mark));
  return end < 0 ? lines.length : end + 1;
}

/** Behind the table whose head is this line; null: it is none's. */
function tableEnd(lines: readonly string[], at: number): number | null {
  if (!ROW.test(lines[at] ?? "") || !RULE.test((lines[at + 1] ?? "").trimEnd())) return null;
  const end = lines.findIndex((line, index) => index > at && !ROW.test(line));
  return end < 0 ? lines.length : end;
}

function table(lines: readonly string[]): Part {
  const head = lines.slice(0, 2).join("");
  return { kind: "table", slices: slicesOf(lines.slice(2), () => true).map((rows) => head + rows) };
}

function code(lines: readonly string[]): Part {
  const [opening = "", ...rest] = lines;
  const mark = FENCE.exec(opening)?.[1] ?? "```";
  const closed = rest.length > 0 && FENCE.exec(rest.at(-1) ?? "")?.[1]?.startsWith(mark);
  // What begins at the left after an empty line seldom stands within a text or comment, which would be coloured wrongly.
  const begins = (line: string, before: string) => /^\S/.test(line) && before.trim() === "";
  const slices = slicesOf(closed ? rest.slice(0, -1) : rest, begins);
  return { kind: "code", slices: slices.map((slice) => fenced(slice, opening, mark)) };
}

/** Its own code block; of a line that is very long nothing is coloured. */
function fenced(slice: string, opening: string, mark: string): string {
  const first = slice.length > LONGEST ? `${mark}\n` : opening;
  return `${first}${slice.replace(/\n?$/, "\n")}${mark}\n`;
}

/** Lists are cut between their items, and go on counting; what can't be cut is one piece. */
function proseOf(lines: readonly string[]): Part[] {
  const found: string[] = [];
  let piece: string[] = [];
  let length = 0;
  let fence: string | null = null;
  let counted: number | null = null;
  for (const line of lines) {
    const number = fence === null ? NUMBERED.exec(line) : null;
    if (number) counted = counted === null ? Number(number[1]) : counted + 1;
    else if (fence === null && /^(?!\s)/.test(line)) counted = null;
    const here = number ? `${counted}${number[2]}${line.slice(number[0].length)}` : line;
    if (fence === null && length > LONG && ITEM.test(line)) {
      found.push(piece.join(""));
      piece = [];
      length = 0;
    }
    const mark = FENCE.exec(line)?.[1];
    if (mark && fence === null) fence = mark;
    else if (mark && fence !== null && mark.startsWith(fence)) fence = null;
    piece.push(here);
    length += here.length;
  }
  if (length) found.push(piece.join(""));
  return found
    .filter((text) => text.trim() !== "")
    .map((text, index) => {
      if (text.length > LONGEST) return { kind: "plain", text };
      return index ? { kind: "text", text, goesOn: true } : { kind: "text", text };
    });
}

/** Lines in slices that are a little longer than LONG: cut where it is good to, or where they would be twice as long. */
function slicesOf(lines: readonly string[], good: (line: string, before: string) => boolean): string[] {
  const found: string[] = [];
  let slice = "";
  let before = "";
  for (const line of lines) {
    if (slice.length > 2 * LONG || (slice.length > LONG && good(line, before))) {
      found.push(slice);
      slice = "";
    }
    slice += line;
    before = line;
  }
  return slice || !found.length ? [...found, slice] : found;
}
