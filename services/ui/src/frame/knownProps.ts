/** Props that a component doesn't know: an error, since what they were to show would be missing without a word. */

/** What any element takes: its looks, its name, what assistive technology and scripts know it by. */
const OF_ELEMENTS = new Set(
  "as bsPrefix children className dangerouslySetInnerHTML dir hidden id key lang ref role style tabIndex title".split(
    " ",
  ),
);
const BY_PREFIX = /^(aria-|data-|on[A-Z])/;

/** Throws for props of `given` that are neither in `known` nor what any element takes. */
export function checkProps(component: string, given: object, known: readonly string[]): void {
  const strange = Object.keys(given).filter(
    (name) => !known.includes(name) && !OF_ELEMENTS.has(name) && !BY_PREFIX.test(name),
  );
  const [first] = strange;
  if (first === undefined) return;
  throw new Error(`<${component}> has no prop "${first}". It takes ${known.join(", ")}.`);
}
