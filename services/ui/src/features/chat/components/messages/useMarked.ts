import { type RefObject, useEffect } from "react";

const NAME = "found";
/** So many places are marked at once. */
const MOST = 500;

/** Marks these words in what is in the document, without changing it. `shown`: it may have changed. */
export function useMarked(within: RefObject<HTMLElement | null>, words: string | null, shown: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: marked anew as other rows come into the document
  useEffect(() => {
    if (typeof CSS === "undefined" || !("highlights" in CSS)) return;
    if (words && within.current) CSS.highlights.set(NAME, new Highlight(...rangesOf(within.current, words)));
    return () => {
      CSS.highlights.delete(NAME);
    };
  }, [within, words, shown]);
}

function rangesOf(element: HTMLElement, words: string): Range[] {
  const wanted = words.toLowerCase();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  for (let node = walker.nextNode(); node && ranges.length < MOST; node = walker.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase();
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, Math.min(at + wanted.length, node.nodeValue?.length ?? 0));
      ranges.push(range);
    }
  }
  return ranges;
}
