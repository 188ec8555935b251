import type { RefObject } from "react";

/** After so many frames in which nothing moved it, a row stays where it is. */
const CALM = 60;

/**
 * Brings a row into sight and back again whenever rows around it move it out, until it stays: a list knows the heights
 * of its rows only once it has drawn them. The document is asked, since what the list believes can be behind it.
 * @param wanted which row: null or under 0 where none is (any more)
 * @param draw brings a row that isn't in the document into it
 * @returns what ends it
 */
export function keepInSight(
  scroller: RefObject<HTMLElement | null>,
  wanted: () => number | null,
  draw: (index: number) => void,
): () => void {
  let calm = 0;
  let frame = 0;
  const look = () => {
    const index = wanted();
    const element = scroller.current;
    if (index === null || !element) return;
    calm = index < 0 || isBrought(element, index, draw) ? calm + 1 : 0;
    if (calm < CALM) frame = requestAnimationFrame(look);
  };
  look();
  return () => cancelAnimationFrame(frame);
}

/** True if the row was in sight already, as far as it can be. */
function isBrought(element: HTMLElement, index: number, draw: (index: number) => void): boolean {
  const row = element.querySelector(`[data-index="${index}"]`);
  if (!row) {
    draw(index);
    return false;
  }
  const there = row.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  const room = box.height - there.height;
  const top = there.top - box.top;
  if (top >= 0 && top <= Math.max(0, room)) return true;
  const before = element.scrollTop;
  // Its middle in the middle, or its beginning at the top if it is higher than the window.
  element.scrollTop += top - Math.max(0, room / 2);
  return element.scrollTop === before;
}
