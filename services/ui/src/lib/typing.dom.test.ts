import { afterEach, expect, test, vi } from "vitest";
import { guardComposition, isTyping, keepComposition } from "./typing";

afterEach(() => document.body.replaceChildren());

const PLACES = [
  "<input>",
  "<textarea></textarea>",
  "<select></select>",
  "<div contenteditable='true'><b></b></div>",
  "<div role='textbox'></div>",
  "<div role='application'></div>",
];

/** The innermost element of these, in the page or in a shadow tree of it. */
function placed(html: string, inShadow: boolean): Element {
  const host = document.body.appendChild(document.createElement("div"));
  const root = inShadow ? host.attachShadow({ mode: "open" }) : host;
  root.innerHTML = html;
  const elements = root.querySelectorAll("*");
  const last = elements[elements.length - 1];
  if (!last) throw new Error(`nothing in ${html}`);
  return last;
}

/** What a listener of the document hears of a key that is pressed there. */
function heard(place: Element, init: KeyboardEventInit & { keyCode?: number }): KeyboardEvent[] {
  const events: KeyboardEvent[] = [];
  const listen = (event: KeyboardEvent) => events.push(event);
  document.addEventListener("keydown", listen);
  place.dispatchEvent(
    new KeyboardEvent("keydown", { bubbles: true, composed: true, cancelable: true, ...init }),
  );
  document.removeEventListener("keydown", listen);
  return events;
}

test.each(PLACES.flatMap((html) => [false, true].map((inShadow) => ({ html, inShadow }))))(
  "a key in $html is typed there (in a shadow tree: $inShadow)",
  ({ html, inShadow }) => {
    const typed: boolean[] = [];
    const listen = (event: KeyboardEvent) => typed.push(isTyping(event));
    document.addEventListener("keydown", listen);
    heard(placed(html, inShadow), { key: "n" });
    document.removeEventListener("keydown", listen);
    expect(typed).toEqual([true]);
  },
);

test("a key elsewhere is typed nowhere", () => {
  const typed: boolean[] = [];
  const listen = (event: KeyboardEvent) => typed.push(isTyping(event));
  document.addEventListener("keydown", listen);
  heard(placed("<button>Go</button>", false), { key: "n" });
  heard(placed("<div contenteditable='false'></div>", true), { key: "n" });
  document.removeEventListener("keydown", listen);
  expect(typed).toEqual([false, false]);
});

const COMPOSING = [
  { key: "Enter", isComposing: true, keyCode: 229 },
  { key: "Enter", keyCode: 229 },
  { key: "Escape", isComposing: true, keyCode: 27 },
  { key: "Process", keyCode: 229 },
];

test.each(COMPOSING)("no handler hears of a key that an input method takes: %o", (init) => {
  guardComposition(window);
  expect(heard(placed("<input>", false), init)).toEqual([]);
});

test.each(COMPOSING)("an editor in a shadow tree hears of it, and nothing outside: %o", (init) => {
  guardComposition(window);
  const place = placed("<textarea></textarea>", true);
  keepComposition(place.getRootNode() as ShadowRoot);
  const editor = vi.fn();
  place.addEventListener("keydown", editor);
  expect(heard(place, init)).toEqual([]);
  expect(editor).toHaveBeenCalledOnce();
});

test("an Enter of one's own is heard", () => {
  guardComposition(window);
  expect(heard(placed("<input>", false), { key: "Enter", keyCode: 13 })).toHaveLength(1);
});

test("an Enter that ends a composition submits no form, whichever way the browser says so", () => {
  guardComposition(window);
  const form = document.body.appendChild(document.createElement("form"));
  const field = form.appendChild(document.createElement("input"));
  const pressed = (init: KeyboardEventInit & { keyCode?: number }) => {
    const event = new KeyboardEvent("keydown", { bubbles: true, composed: true, cancelable: true, ...init });
    field.dispatchEvent(event);
    return event.defaultPrevented;
  };
  // As Safari has it: the composition is over when the key is told, so the browser would submit.
  expect(pressed({ key: "Enter", keyCode: 229 })).toBe(true);
  // As others have it: the input method takes the key, and must get it.
  expect(pressed({ key: "Enter", isComposing: true, keyCode: 229 })).toBe(false);
  expect(pressed({ key: "Process", keyCode: 229 })).toBe(false);
  expect(pressed({ key: "Enter", keyCode: 13 })).toBe(false);
});
