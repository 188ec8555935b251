/** Where in an author's code something was thrown, read from a stack or a message. */

/** What stacks call the author's code. */
export const SOURCE = "page.jsx";

/** Lines that `new Function` puts before the code that it is given: its own first two. */
export const LINES_BEFORE = 2;

export interface Place {
  line: number;
  column: number | null;
}

/** The topmost place of the author's code; null where the stack never passes through it. */
export function placeInStack(stack: string): Place | null {
  const found = /page\.jsx:(\d{1,7}):(\d{1,7})/.exec(stack);
  const line = Number(found?.[1]) - LINES_BEFORE;
  // The column is that of what the code was compiled to: JSX before it on the line has moved it.
  return found && line > 0 ? { line, column: null } : null;
}

/** The place that a parser names at the end of its message. */
export function placeInMessage(message: string): Place | null {
  const found = /\((\d{1,7}):(\d{1,7})\)\s*$/.exec(message);
  return found ? { line: Number(found[1]), column: Number(found[2]) } : null;
}
