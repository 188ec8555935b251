/**
 * Forms of pages. In a frame that may not submit forms, browsers don't even tell its scripts that somebody tried:
 * so the press of a button and Enter in a field become the event `submit` here, after the browser's own validation.
 */
export function submitByScript(document: Document): void {
  document.addEventListener("click", (event) => {
    const button = submitter(event.target instanceof Element ? event.target.closest("button, input") : null);
    if (!button?.form || button.disabled || event.defaultPrevented) return;
    event.preventDefault();
    submit(button.form, button);
  });
  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (event.key !== "Enter" || event.defaultPrevented) return;
    if (!(field instanceof HTMLInputElement) || !field.form || NO_TEXT.has(field.type)) return;
    event.preventDefault();
    const button = [...field.form.elements].map(submitter).find((found) => found);
    if (button) button.click();
    else submit(field.form, null);
  });
}

/** Fields in which Enter means something else. */
const NO_TEXT: ReadonlySet<string> = new Set([
  "button",
  "checkbox",
  "file",
  "image",
  "radio",
  "reset",
  "submit",
]);

function submit(form: HTMLFormElement, button: HTMLElement | null): void {
  if (!form.noValidate && !form.reportValidity()) return;
  form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true, submitter: button }));
}

/** The element, if its press submits a form. */
function submitter(element: Element | null): HTMLButtonElement | HTMLInputElement | null {
  if (element instanceof HTMLButtonElement) return element.type === "submit" ? element : null;
  return element instanceof HTMLInputElement && ["submit", "image"].includes(element.type) ? element : null;
}
