/** Props that a component doesn't know: an error, since what they were to show would be missing without a word. */
import { type ComponentType, createElement, type ElementType } from "react";

const words = (text: string) => text.split(" ");

/** What any element takes: its looks, its name, what assistive technology and scripts know it by. */
const OF_ELEMENTS = new Set([
  ...words(
    "accessKey autoFocus bsPrefix children className contentEditable dangerouslySetInnerHTML dir draggable",
  ),
  ...words("hidden id inert key lang popover ref role slot spellCheck style suppressContentEditableWarning"),
  ...words("suppressHydrationWarning tabIndex title translate"),
]);
const BY_PREFIX = /^(aria-|data-|on[A-Z])/;

/** What a field of a form takes besides, in the words of HTML. */
export const OF_FIELDS = [
  ...words("accept autoCapitalize autoComplete autoCorrect capture checked cols defaultChecked defaultValue"),
  ...words("disabled enterKeyHint form inputMode list max maxLength min minLength multiple name pattern"),
  ...words("placeholder readOnly required rows size step type value wrap"),
];

/** Throws for props of `given` that are neither in `known` nor what any element takes. What is drawn `as` something
 * else takes that one's. */
export function checkProps(component: string, given: object, known: readonly string[]): void {
  if ("as" in given) return;
  const strange = Object.keys(given).filter(
    (name) => !known.includes(name) && !OF_ELEMENTS.has(name) && !BY_PREFIX.test(name),
  );
  const [first] = strange;
  if (first === undefined) return;
  const takes = known.length > 0 ? `It takes ${known.join(", ")}.` : "It takes what any element takes.";
  throw new Error(`<${component}> has no prop "${first}". ${takes}`);
}

/** The component, with an error for each prop that is neither among these nor what any element takes. */
export function checked(
  name: string,
  component: ElementType,
  known: readonly string[],
): ComponentType<Record<string, unknown>> {
  function Checked(given: Record<string, unknown>) {
    checkProps(name, given, known);
    return createElement(component, given);
  }
  Checked.displayName = name;
  return Checked;
}
