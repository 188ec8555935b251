/** The hosts in a text that a person wrote: one a line, or with spaces or commas between them. */
export function hostsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
