import { useEffect, useRef, useState } from "react";
import { messageOf } from "../lib/problems";
import type { Editor, EditorLanguage, Mark } from "./editor";

/** So many changes may be under way to the owner of the text and back. */
const MOST_TYPED = 100;

interface Props {
  label: string;
  language: EditorLanguage;
  text: string;
  /** Called with each change; without it the text can only be read. */
  onChange?: (text: string) => void;
  mark?: Mark | null;
}

/** Code with colours and line numbers, to read or to edit. Until the editor is loaded, the plain text. */
export function CodeEditor({ label, language, text, onChange, mark = null }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [tries, setTries] = useState(0);
  const latest = useRef({ text, onChange });
  latest.current = { text, onChange };
  const readOnly = onChange === undefined;
  /** What was typed and has not come back as `text` yet: by then more may have been typed, which must stay. */
  const typed = useRef<string[]>([]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` loads once more
  useEffect(() => {
    let gone = false;
    let made: Editor | null = null;
    import("./codeMirror").then(
      ({ editorIn }) => {
        if (gone || !host.current) return;
        const changed = (now: string) => {
          typed.current = [...typed.current.slice(-MOST_TYPED), now];
          latest.current.onChange?.(now);
        };
        made = editorIn(host.current, {
          ...{ text: latest.current.text, language, label, readOnly },
          onChange: changed,
        });
        setEditor(made);
      },
      (error: unknown) => gone || setFailure(error),
    );
    return () => {
      gone = true;
      setEditor(null);
      made?.destroy();
    };
  }, [language, label, readOnly, tries]);

  useEffect(() => {
    const at = typed.current.lastIndexOf(text);
    typed.current = typed.current.slice(at + 1);
    if (at >= 0) return;
    typed.current = [];
    editor?.setText(text);
  }, [editor, text]);
  useEffect(() => editor?.mark(mark), [editor, mark]);

  return (
    <div className="code-editor">
      <div ref={host} />
      {!editor && <pre className="code-waiting">{text}</pre>}
      {failure !== null && (
        <div className="alert alert-danger" role="alert">
          The editor can't be loaded: {messageOf(failure)}{" "}
          <button
            type="button"
            className="btn btn-sm btn-outline-danger"
            onClick={() => {
              setFailure(null);
              setTries((count) => count + 1);
            }}
          >
            Try again
          </button>
        </div>
      )}
    </div>
  );
}
