/** Formulas in Markdown, written as models write them: `$$…$$`, `$…$`, `\[…\]` and `\(…\)`. */

/** Code, in which nothing is a formula: fenced (also while its end is still to come), or within a line. */
const CODE =
  /(^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\2[`~]*[ \t]*$|(?![\s\S]))|(`+)(?!`)[^\n]*?[^`\n]\3(?!`))/m;

/** As pandoc has it: no blank within the dollars, no figure behind them. So "$5 and $10" stays as it is. */
const SINGLE = /(?<![\\$\w])\$(?=[^\s$])((?:\\.|[^\\$\n]){0,1000}?)(?<=[^\s\\])\$(?![\d$])/g;
const INLINE = /\\\(((?:[^\n]){1,2000}?)\\\)/g;
const DISPLAY = /\\\[([\s\S]{1,5000}?)\\\]/g;

/** Whether there is a formula in it. */
export function mathMet(text: string): boolean {
  return outside(text).some(
    (part) => /\$\$[\s\S]+?\$\$/.test(part) || part.search(SINGLE) >= 0 || /\\\(|\\\[/.test(part),
  );
}

/** The text with all formulas written the one way that the parser of Markdown is told of: `$$…$$`. */
export function asMath(text: string): string {
  const parts = split(text);
  return parts.map(({ code, text: part }) => (code ? part : written(part))).join("");
}

function written(part: string): string {
  return part
    .replace(DISPLAY, (_, tex: string) => `\n$$\n${tex.trim()}\n$$\n`)
    .replace(INLINE, (_, tex: string) => `$$${tex.trim()}$$`)
    .replace(SINGLE, (_, tex: string) => `$$${tex}$$`);
}

function outside(text: string): string[] {
  return split(text).flatMap(({ code, text: part }) => (code ? [] : [part]));
}

function split(text: string): { code: boolean; text: string }[] {
  const parts: { code: boolean; text: string }[] = [];
  let rest = text;
  for (let found = CODE.exec(rest); found; found = CODE.exec(rest)) {
    parts.push({ code: false, text: rest.slice(0, found.index) }, { code: true, text: found[0] });
    rest = rest.slice(found.index + found[0].length);
  }
  return [...parts, { code: false, text: rest }];
}
