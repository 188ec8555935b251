/** Where a person types, and which keys belong to an input method. For every field: none decides it alone. */

/** What takes letters as text, or gives them a meaning of its own. */
const TAKES_LETTERS = [
  "input",
  "textarea",
  "select",
  "iframe",
  "[contenteditable]:not([contenteditable=false])",
  ...["textbox", "searchbox", "combobox", "listbox", "spinbutton", "application"].map(
    (role) => `[role=${role}]`,
  ),
].join();

/**
 * Whether the key went to a place where a person types. An event that leaves a shadow tree names the tree's host as
 * its target, so the whole path counts.
 */
export function isTyping(event: Event): boolean {
  return event.composedPath().some((one) => one instanceof Element && one.matches(TAKES_LETTERS));
}

/** Whether the focus is in a place where a person types: what loads late must not take it away. */
export function isTypingSomewhere(): boolean {
  return document.activeElement?.matches(TAKES_LETTERS) ?? false;
}

/** As browsers number every key that an input method takes. */
const TAKEN_BY_INPUT_METHOD = 229;

/**
 * Whether an input method takes the key: it chooses a word, or ends the composition. Safari says so by the number
 * alone, since there the composition ends before the key is told.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === TAKEN_BY_INPUT_METHOD;
}

/**
 * Keeps the keys of input methods from every handler of the window, so that an Enter which ends a composition never
 * sends, saves or submits. An editor in a shadow tree still sees them, and keeps them by `keepComposition`.
 */
export function guardComposition(window: Window): void {
  window.addEventListener(
    "keydown",
    (event) => {
      if (!isComposing(event) || event.composedPath()[0] !== event.target) return;
      event.stopImmediatePropagation();
      if (event.key === "Enter" && !event.isComposing) event.preventDefault();
    },
    { capture: true },
  );
}

/** Lets an editor in a shadow tree see the keys of input methods, and nothing outside of it. */
export function keepComposition(root: ShadowRoot): void {
  root.addEventListener("keydown", (event) => {
    if (event instanceof KeyboardEvent && isComposing(event)) event.stopPropagation();
  });
}
