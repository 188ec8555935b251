/** A text in parts that are drawn once: while it is being written, only the last one still changes. */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * The text cut at blank lines that nothing spans: no fenced code, no formula, and no line that goes on a list. Joined
 * they are the text.
 */
export function blocks(text: string): string[] {
  const found: string[] = [];
  let begin = 0;
  let at = 0;
  let fence: string | null = null;
  let formula = false;
  let blank = false;
  while (at < text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, end);
    const mark = FENCE.exec(line)?.[1];
    if (blank && fence === null && !formula && at > begin && /^(?![-*+\d>|\s])/.test(line)) {
      found.push(text.slice(begin, at));
      begin = at;
    }
    if (mark && fence === null) fence = mark;
    else if (mark && fence !== null && mark.startsWith(fence)) fence = null;
    else if (fence === null && line.split("$$").length % 2 === 0) formula = !formula;
    blank = line.trim() === "";
    at = end;
  }
  return begin < text.length ? [...found, text.slice(begin)] : found;
}

/** What other parts of the text refer to: it stays whole then. */
const DEFINED = /^ {0,3}\[[^\]\n]+\]:/m;
/** A part that is longer (characters) is drawn in pieces while it grows, or each of them would be drawn very often. */
const LONG = 3_000;
const ROW = /^ {0,3}\|/;
const TOP_ITEM = /^(?:[-*+]|\d{1,9}[.)]) /;

/** The parts of a text, in order; `growing`: more of it is to come. */
export function drawnParts(text: string, growing: boolean): string[] {
  if (!growing) return DEFINED.test(text) ? [text] : blocks(text);
  const parts = blocks(text);
  return [...parts.slice(0, -1), ...parts.slice(-1).flatMap(pieces)];
}

/**
 * A long part that grows, in pieces of which only the last still changes: the rows of a table with its head above each,
 * the items of a list. Code stays whole, but loses the name of its language, by which it would be coloured.
 */
function pieces(part: string): string[] {
  if (part.length <= LONG) return [part];
  const lines = part.split(/(?<=\n)/);
  const found: string[] = [];
  let piece = "";
  let head = "";
  let fence: string | null = null;
  for (const [index, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === null && !mark && piece.length > LONG) {
      const goesOn = head !== "" && ROW.test(line);
      if (goesOn || TOP_ITEM.test(line)) {
        found.push(piece);
        piece = goesOn ? head : "";
      }
    }
    if (fence === null && ROW.test(line) && !ROW.test(lines[index - 1] ?? ""))
      head = line + (lines[index + 1] ?? "");
    else if (!ROW.test(line)) head = "";
    if (mark && fence === null) {
      fence = mark;
      const rest = lines.slice(index).join("").length;
      piece += rest > LONG ? `${line.slice(0, line.indexOf(mark) + mark.length)}\n` : line;
      continue;
    }
    if (mark && fence !== null && mark.startsWith(fence)) fence = null;
    piece += line;
  }
  return piece ? [...found, piece] : found;
}
