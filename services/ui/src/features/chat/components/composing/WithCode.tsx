/** A text in which `backquotes` mark code. */
export function WithCode({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed text never change places
  return text.split("`").map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part));
}
