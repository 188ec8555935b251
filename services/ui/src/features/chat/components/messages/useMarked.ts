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
  const terms = termsOf(words);
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  for (let node = walker.nextNode(); node && ranges.length < MOST; node = walker.nextNode()) {
    const text = folded(node.nodeValue ?? "");
    for (const term of terms) {
      for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + term.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + term.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}

/** What the server looks for (projections/search.py): each word, and what stands in quotes. */
export function termsOf(words: string): string[] {
  const found = [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) =>
    (quoted ?? word ?? "").trim(),
  );
  return [...new Set(found.filter(Boolean).map(folded))];
}

/** In lower case and without accents, each unit in its place. */
export function folded(text: string): string {
  return text.replace(/[^\x20-\x40\x5b-\x7e]/g, (unit) => {
    const plain = unit.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    return plain.length === 1 ? plain : unit;
  });
}
