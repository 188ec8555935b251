/** A text cut into what can be read as Markdown on its own: while it is written, only the last one still changes. */

/** The beginning or the end of fenced code. */
export const FENCE = /^ {0,3}(`{3,}|~{3,})/;

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
