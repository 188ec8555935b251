/** The code editor itself. Heavy: imported when the first one is shown. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { keepComposition } from "../lib/typing";
import type { Editor, EditorLanguage, EditorOptions, Mark } from "./editor";

/** The page's colours: variables reach into the shadow tree. */
const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.self], color: "var(--fl-code-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--fl-code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--fl-code-number)" },
  {
    tag: [tags.function(tags.variableName), tags.definition(tags.variableName)],
    color: "var(--fl-code-title)",
  },
  { tag: [tags.className, tags.typeName, tags.tagName, tags.propertyName], color: "var(--fl-code-title)" },
  { tag: [tags.comment, tags.meta], color: "var(--fl-code-meta)", fontStyle: "italic" },
]);

const LOOKS = EditorView.theme({
  "&": {
    color: "var(--fl-ink)",
    backgroundColor: "var(--fl-card)",
    border: "1px solid var(--fl-line)",
    borderRadius: "var(--fl-round)",
    fontSize: "var(--fl-text-small)",
    maxHeight: "70vh",
    overflow: "hidden",
  },
  "&.cm-focused": { outline: "2px solid var(--fl-accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--bs-font-monospace)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--fl-ink)" },
  ".cm-gutters": {
    color: "var(--fl-ink-2)",
    backgroundColor: "var(--fl-card)",
    borderRight: "1px solid var(--fl-line)",
  },
  "&.cm-focused .cm-matchingBracket, .cm-matchingBracket": { backgroundColor: "var(--fl-hover)" },
  ".cm-tooltip": {
    color: "var(--fl-ink)",
    backgroundColor: "var(--fl-paper)",
    border: "1px solid var(--fl-line)",
  },
});

const LANGUAGES: Record<EditorLanguage, () => Extension> = {
  javascript: () => javascript({ jsx: true, typescript: true }),
  json,
  text: () => [],
};

/**
 * Text that takes the place of a selection is put in here. The browser would do it in the document, where it keeps
 * the look of what was selected in a style attribute: the page's content security policy forbids that.
 */
const REPLACING = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    if (inputType !== "insertText" || data === null || isComposing) return false;
    if (view.state.readOnly || view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/**
 * An editor in `host`. It lives in a shadow tree: there its styles are adopted sheets, which the page's content
 * security policy allows, and not elements, which it forbids. Tab leaves it, so that the keyboard is never caught.
 */
export function editorIn(host: HTMLElement, options: EditorOptions): Editor {
  const { text, language, label, readOnly, onChange } = options;
  const root = host.shadowRoot ?? shadowOf(host);
  const editing = readOnly
    ? [EditorState.readOnly.of(true), EditorView.editable.of(false)]
    : [REPLACING, history(), indentOnInput(), lintGutter(), keymap.of([...defaultKeymap, ...historyKeymap])];
  const view = new EditorView({
    parent: root,
    root,
    doc: text,
    extensions: [
      lineNumbers(),
      highlightSpecialChars(),
      bracketMatching(),
      EditorView.lineWrapping,
      syntaxHighlighting(COLOURS),
      LOOKS,
      LANGUAGES[language](),
      EditorView.contentAttributes.of({
        "aria-label": label,
        tabindex: "0",
        ...(readOnly ? { "aria-readonly": "true" } : {}),
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
      editing,
    ],
  });
  return {
    setText(next) {
      if (view.state.doc.toString() === next) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    mark(mark) {
      view.dispatch(setDiagnostics(view.state, mark ? [diagnostic(view, mark)] : []));
      if (mark) view.dispatch({ effects: EditorView.scrollIntoView(placeOf(view, mark), { y: "center" }) });
    },
    destroy() {
      view.destroy();
      root.replaceChildren();
    },
  };
}

function shadowOf(host: HTMLElement): ShadowRoot {
  const root = host.attachShadow({ mode: "open" });
  keepComposition(root);
  return root;
}

function placeOf(view: EditorView, { line, column }: Mark): number {
  const { doc } = view.state;
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(found.from + Math.max(column - 1, 0), found.to);
}

function diagnostic(view: EditorView, mark: Mark) {
  const from = placeOf(view, mark);
  const to = Math.min(from + 1, view.state.doc.length);
  return { from: Math.min(from, to), to, severity: "error" as const, message: mark.message };
}
