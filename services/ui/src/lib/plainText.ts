/** Markdown as it is said: what a screen reader reads out, or a snippet shows. */

/** The same in one line: what a row of a list shows. */
export function plainLine(markdown: string): string {
  return plainText(markdown).replace(/\s+/g, " ").trim();
}

/** The text without the marks that only show how it looks. Code is said as it stands, pictures by their words. */
export function plainText(markdown: string): string {
  return markdown
    .slice(0, 20_000)
    .replace(/^ {0,3}(`{3,}|~{3,})[^\n]*$/gm, "")
    .replace(/!\[([^\]\n]{0,500})\]\([^)\s]{0,2000}\)/g, "$1")
    .replace(/\[([^\]\n]{1,500})\]\([^)\s]{0,2000}\)/g, "$1")
    .replace(/^ {0,3}#{1,6}\s+/gm, "")
    .replace(/^ {0,3}>\s?/gm, "")
    .replace(/^\s*[-*+]\s+(\[[ xX]\]\s+)?/gm, "")
    .replace(/^\s*\|?[\s:|-]*-{3,}[\s:|-]*$/gm, "")
    .replace(/[^\S\n]*\|[^\S\n]*/g, ", ")
    .replace(/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, "$2")
    .replace(/(?<![\w*])[*_](?=\S)([^\n*_]*?\S)[*_](?![\w*])/g, "$1")
    .replace(/`+/g, "")
    .replace(/\$\$/g, "")
    .replace(/(^|\n)(, )+/g, "$1")
    .replace(/(, )+(?=\n|$)/g, "")
    .replace(/\s*\n\s*/g, "\n")
    .trim();
}
